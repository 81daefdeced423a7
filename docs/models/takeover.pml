/* Taking a partition of `deliveries` over, with a leader of `delivery-state` that was paused and answers what it knew before.
   The state topic holds commits (last output, offset) and nonces. The group's offset stands in another partition, whose paused
   leader may answer what it knew, too; it is told apart from the state (0029): at once, later, never, by who lost the partition as well.
   Each entry of the input gives one output, which names its predecessor.
   As designed: a transaction with a nonce first, then the state up to that nonce; the offset stands in the state.
   Mutations: TOLDEND  the state is read to the end that a broker tells
              GROUP    the offset is asked of the group */
#ifdef GROUP
#define N 2                                  /* what the group is told is much more to search; two entries are enough for the error */
#else
#define N 4
#endif
#define NONCE 100
byte so[24]; byte sn; byte goff;            /* the state topic: offsets committed, which are the last output as well; what the group was told */
byte known, gknown; bool paused;            /* what the paused leaders know */
byte owner; byte seen; byte taken; bool done;
active proctype Brokers(){ end: atomic{ !paused -> paused=1; known=sn; gknown=goff } }
inline output(o, last){ d_step{ if :: o+1<=seen -> skip :: else -> assert(last==seen); seen=o+1 fi } }
#ifdef GROUP
inline tell(offset){ if :: goff=offset; c=NONCE :: c=offset fi }
#else
inline tell(offset){ skip }                     /* nobody reads it */
#endif
proctype Owner(byte me){ byte last, o, e, i, c; bool dirty;      /* c: what is still to be told to the group */
  do
  :: done -> break
  :: atomic{ !done && taken<4 && sn<20 -> taken++; owner=me };
     atomic{
#ifndef TOLDEND
       if :: owner==me -> so[sn]=NONCE; sn++ :: else fi;
       e=sn
#else
       if :: e=sn :: paused -> e=known fi
#endif
     };
     atomic{ i=0; last=0; do :: i<e -> if :: so[i]!=NONCE -> last=so[i] :: else fi; i++ :: else -> break od;
#ifdef GROUP
       if :: o=goff :: paused -> o=gknown fi;
#else
       o=last;
#endif
       tell(o); dirty=0 };
     do
     :: atomic{ o<N -> output(o, last); o++; last=o; dirty=1 }
     :: atomic{ dirty && owner==me && sn<20 -> so[sn]=last; sn++; dirty=0; tell(o); assert(last==o) }
#ifdef GROUP
     :: atomic{ c!=NONCE -> goff=c; c=NONCE }
#endif
     :: owner!=me -> break                              /* fenced */
     :: taken<4 -> break                                /* dies */
     :: atomic{ o==N && !dirty && owner==me -> done=1; assert(seen==N); break }
     od
  :: taken==4 && owner!=me -> break
  od }
init { atomic{ run Owner(1); run Owner(2) } }
