/* keep-last 1, with all forks of the highest ordinal. A tombstone goes over its record without a condition. */
inline fences(bits_) {
  v_ = 1;
  do :: v_ < LAST -> if :: FENCED(v_) -> bits_ = bits_ | (1 << v_) :: else fi; v_++ :: else -> break od;
  v_ = 0
}

proctype PlainPrune() {
  byte top, o = 1, old, kept, fenced; int garbage;
#ifdef FOLDERS_FIRST
  atomic { fences(fenced) }
#endif
  atomic {                         /* LIST of the records */
    newest(top); v_ = 1;
    do
    :: v_ < LAST ->
       if
       :: rec[v_] == VERSION && ord[v_] == ord[top] -> kept = kept | (1 << v_)
       :: rec[v_] == VERSION && ord[v_] != ord[top] -> old = old | (1 << v_)
       :: else
       fi;
       v_++
    :: else -> break
    od;
    v_ = 0; top = 0
  }
  atomic {                         /* then of the folders: what is kept is whole, and nobody is about to delete of it */
#if !defined(FOLDERS_FIRST) && !defined(COUNT_FENCED)
    fences(fenced);
#endif
    n_ = 1;
    do
    :: n_ < LAST ->
       if
       :: (kept & (1 << n_)) == 0
       :: else -> readable(n_, ok_); if :: ok_ && (fenced & (1 << n_)) == 0 :: else -> old = 0 fi
       fi;
       n_++
    :: else -> break
    od;
    n_ = 0; ok_ = 0; kept = 0; fenced = 0
  }
  do
  :: old != 0 -> atomic { if :: (old & (1 << o)) != 0 -> retire(o); old = old & ~(1 << o) :: else fi; o++ }
  :: else -> break
  od;
  atomic { o = 0; keep(garbage); garbage = there & ~garbage & ~MARKED & markable }
  d_step { putMark(garbage); garbage = 0 }
}
