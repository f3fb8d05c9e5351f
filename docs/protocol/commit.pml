/* The rules of rules.md: who may refer, who may delete. `npm run model` checks every scenario and every
 * mutation (a rule left out: must fail); by hand, for instance:
 *   spin -a -DCORE commit.pml && cc -O2 -DSAFETY -o pan pan.c && ./pan -m100000        expected: errors: 0
 *   spin -a -DCORE -DNO_GRACE commit.pml && … && ./pan -m100000 ; spin -t -p -DCORE -DNO_GRACE commit.pml
 * README.md says what is modelled and what each mutation shows. */
#include "store.pml"
#include "marks.pml"
#ifdef RESTORE
#include "restore.pml"
#endif
#if defined(CORE) || defined(SUSPEND) || defined(RESTORE) || defined(UNDELETE)
#include "core.pml"
#endif
#ifdef UNDELETE
#include "undelete.pml"
#endif
#if defined(CHAINS) || defined(BALANCE)
#include "rewrite.pml"
#endif
#if defined(CHAINS) || defined(REPAIR) || defined(DAMAGE) || defined(FORGED)
#include "chains.pml"
#endif
#ifdef BALANCE
#include "balance.pml"
#endif
#ifdef RESUME
#include "resume.pml"
#endif
#ifdef CLEANUP
#include "cleanup.pml"
#endif
#ifdef WRITE_ONLY
#include "write-only.pml"
#endif
#ifdef REPAIR
#include "repair.pml"
#endif
#if defined(TAGS) || defined(PLAIN_TAGS)
#include "tags.pml"
#endif
#if defined(JOURNAL) || defined(FORK)
#include "clones.pml"
#endif
#if defined(JUDGED) || defined(VANISHED)
#include "judged.pml"
#endif
#ifdef SLEEPER
#include "sleeper.pml"
#endif
#if defined(PARTS) || defined(PARTS_ABANDONED) || defined(PARTS_BASE) || defined(PARTS_CHANGES) || defined(PARTS_LATER)
#include "parts.pml"
#include "parts-once.pml"
#endif
#ifdef PLAIN_STORE
#include "plain.pml"
#ifdef PARTS_PLAIN_STORE
#include "parts.pml"
#include "plain-prune.pml"
#include "parts-plain.pml"
#else
#ifdef PLAIN_FORKS
#include "plain-forks.pml"
#else
#include "plain-writer.pml"
#include "plain-prune.pml"
#include "plain-sweep.pml"
#endif
#endif
#endif

init { atomic { start() } }
