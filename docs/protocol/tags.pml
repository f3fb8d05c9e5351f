/* Tags keep versions: a prune puts a notice and then looks at the tags, who tags puts the tag and then looks for notices, and at
 * the record at last. Two people tag version 1 with the same name, two prunes want to retire it. Only a tag on what is retired is taken
 * back: another may have been told that it stands. */
#define YOUNG 1
#define OLD 2                      /* two hours: whoever put it is taken for dead */
byte notice[2];                    /* of each prune */
bool tagged;                       /* the tag is in the store */
bool promised;                     /* somebody who put it, or found it, said success */

proctype Tag() {
  bool isNew;
  if :: atomic { rec[1] == VERSION -> skip } :: atomic { rec[1] != VERSION -> goto done } fi;
#ifdef PLAIN_TAGS
  atomic { isNew = true; tagged = true }                         /* over one that is there, as far as it knows it is its own */
#else
  atomic { isNew = !tagged; tagged = true }                      /* if-none-match */
#endif
  if :: skip :: goto done fi;      /* it may crash: the tag keeps what nobody was promised */
#ifndef NO_NOTICE_CHECK
  atomic {
    if
#ifdef TAKE_BACK_ALWAYS
    :: notice[0] == YOUNG || notice[1] == YOUNG -> goto back
#else
    :: notice[0] == YOUNG || notice[1] == YOUNG -> goto done     /* refused, and the tag stays */
#endif
    :: else
    fi
  }
#endif
#ifndef NO_RECORD_LOOK
  atomic { if :: rec[1] != VERSION -> goto back :: else fi }
#endif
  promised = true;
  goto done;
back:
  if :: isNew -> tagged = false :: else fi;
done: isNew = false
}

proctype TagPrune(byte me) {
  int garbage;
  atomic { if :: tagged -> goto done :: else fi }                /* what it plans */
  notice[me] = YOUNG;
  if :: skip :: goto done fi;      /* killed: the notice stays */
#ifndef NO_SECOND_LOOK_AT_TAGS
  atomic { if :: tagged -> goto away :: else fi }
#endif
  if :: skip :: goto done fi;
  atomic {
    if
#ifdef RETIRE_LATE
    :: true -> retire(1)
#else
    :: notice[me] == YOUNG -> retire(1)                          /* not later than an hour after the notice */
    :: else -> goto away
#endif
    fi
  }
  atomic { keep(garbage); garbage = there & ~garbage & ~MARKED; putMark(garbage); garbage = 0 }
away:
  atomic { notice[me] = 0; if :: notice[1 - me] == OLD -> notice[1 - me] = 0 :: else fi }
done: skip
}

proctype Clock() {
end:
  do
  :: atomic { notice[0] == YOUNG -> notice[0] = OLD }
  :: atomic { notice[1] == YOUNG -> notice[1] = OLD }
  od
}

proctype Promise() {
end:
  do :: d_step { assert(!promised || rec[1] == VERSION) } od /* a tagged version is never retired */
}

inline start() {
  there = CHUNK(0) | CHUNK(1);
  version(1, 1, CHUNK(0), 0, CHUNK(0)); reported[1] = true;
  version(2, 2, CHUNK(1), 0, CHUNK(1)); reported[2] = true;
  run Tag(); run Tag(); run TagPrune(0); run TagPrune(1); run Sweep(); run Clock(); run Promise()
}
