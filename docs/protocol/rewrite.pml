/* Replacing a manifest: compaction (a delta becomes a full listing) and balance (a chunk gets a new key). The record names
 * both digests while the manifest is swapped in place; records and manifests are replaced by If-Match. What a manifest
 * stands in for stays written in it, so that a delta made on an older digest with the same view still finds its base.
 * `fresh` is the copy that balance makes (0: compaction); it crashes wherever it likes. */
proctype Rewrite(byte me, fresh) {
  byte o, m, was, tag, mine; int needs;
  atomic {                         /* any listed version, its manifest with its chain, fresh */
    mine = 1 + me; look(me);
    o = 1; do :: o < LAST - 1 -> o++ :: break od;
    if :: rec[o] != VERSION -> goto done :: else fi;
    m = man[o]; was = digest[m]; tag = change[o];
    closure(m, needs); needs = needs & CHUNKS;
    if
    :: fresh != 0 && (refs[m] & CHUNK(0)) == 0 -> goto done
    :: fresh == 0 && base[m] == 0 -> goto done
    :: fresh != 0 && (refs[m] & CHUNK(0)) != 0 ->
       there = there | CHUNK(fresh); needs = (refs[m] & ~CHUNK(0)) | CHUNK(fresh)
    :: else
    fi
  }
  if :: skip :: goto done fi;
  atomic {                         /* record with both digests */
#ifndef NO_IF_MATCH
    if :: change[o] != tag -> goto done :: else fi;
#endif
    rec[o] = VERSION; accepts[o] = accepts[o] | (1 << mine); change[o]++; tag = change[o]
  }
  if :: skip :: goto done fi;
  atomic {                         /* the swap; a look right before it */
#ifndef NO_IF_MATCH
    if :: digest[m] != was || (there & MANIFEST(m)) == 0 -> goto done :: else fi;
#endif
#ifdef FORGET_OLD_DIGEST
    stands[m] = 1 << mine;
#else
    stands[m] = stands[m] | (1 << mine);
#endif
    digest[m] = mine; refs[m] = needs; there = there | MANIFEST(m);
    if :: fresh == 0 -> base[m] = 0; baseDigest[m] = 0 :: else fi;
    settle(me)
  }
  if :: skip :: goto done fi;
  atomic {                         /* record with the new digest alone */
#ifndef NO_IF_MATCH
    if :: change[o] != tag -> goto done :: else fi;
#endif
    rec[o] = VERSION; accepts[o] = 1 << mine; change[o]++
  }
  if
  :: fresh == 0
  :: else ->
#ifdef BALANCE_DELETES
     atomic { there = there & ~CHUNK(0) }
#else
     atomic { keep(needs); putMark(CHUNK(0) & ~needs & ~MARKED) }
#endif
  fi;
done: skip;
  d_step { settle(me); o = 0; m = 0; was = 0; tag = 0; mine = 0; needs = 0 }
}
