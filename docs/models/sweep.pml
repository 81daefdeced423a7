/* The sweep of feeds. The store registers the device (epoch 1) and removes it again; deliveries: 0:REG 1:N 2:UNREG. Stage 2 makes
   the topic at REG, writes, commits state later; the record service follows the committed state. A zombie of stage 2 may make the
   topic once more after its deletion: for that the sweep is there.
   As designed: deleted is what two sweeps found unknown, with `deliveries` applied past the epoch in between.
   Mutations: ONELOOK   one look is enough
              NOAPPLIED two looks, whatever was applied between them */
bool top; bool content; byte o, c; bool known, removed, applied; byte looked; bool stored; byte phase; bool fin; byte zombie;
active proctype Store(){ stored=1; phase=1; stored=0; phase=2 }
active proctype Stage2(){
  do
  :: atomic{ o==0 && phase>=1 -> top=1; content=1; o=1 }                      /* makes the topic, writes `registered` */
  :: atomic{ o==1 -> assert(top && content); o=2 }                             /* writes N: the topic must be there, with its first entry */
  :: atomic{ o==2 && phase==2 -> o=3 }
  :: atomic{ c<o -> c=o; if :: c==3 -> top=0; content=0 :: else fi }         /* commits; deletes after the commit past UNREG */
  :: atomic{ c==3 && o==3 -> fin=1; break }
  od }
/* follows delivery-state some time later */
active proctype Follower(){ byte f; do :: atomic{ f<c -> f=c; known=(f==1||f==2); applied=(f>=1) } :: f==3 -> break od }
active proctype Zombie(){ atomic{ fin && zombie==0 -> zombie=1; top=1 } }
active proctype Sweep(){ byte looks;
  do
  :: looks<4 || (zombie && top) -> looks++;
     atomic{ if :: top && !stored && !known && phase>=2 ->
#ifdef ONELOOK
          top=0; content=0
#else
#ifdef NOAPPLIED
          if :: looked>0 -> top=0; content=0 :: else -> looked=1 fi
#else
          if :: looked==2 -> top=0; content=0 :: looked==0 && applied -> looked=2 :: else fi
#endif
#endif
        :: else -> looked=0 fi }
  :: fin && zombie && !top -> break
  od }
