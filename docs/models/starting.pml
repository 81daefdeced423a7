/* `startingFrom`: a subscription that begins in the past. Two partitions of changes; in each the changes 0 and 1 lie before it, 2 comes
   after it. The owner of a partition writes the hits of the past, then a mark, under a source of their own for each partition
   (position: the change); owners overlap and repeat. Live hits go under the partition's own source, at any time. Stage 2 drops what does not
   advance, and holds live hits of a partition back until the mark of that partition is there.
   Assertion: everything once, of each partition the past before what is live.
   Mutations: NOHOLD    live hits are not held back
              ONESOURCE both partitions name the past by one source
              EARLYMARK the mark is written before the last hit
              COUNTED   live hits wait for two marks, repeats too */
#define M 3                             /* a mark, after the past changes 0 and 1 named 1 and 2 */
byte past[2]; byte live[2]; bool mark[2]; byte marks; byte toldpast[2]; byte toldlive[2]; byte held[2];
inline tell_live(p){ d_step{ assert(toldpast[p]==2); toldlive[p]++; assert(toldlive[p]==1) } }
inline take(p, k){ d_step{                /* stage 2 takes an entry of the past's source of partition p */
#ifdef ONESOURCE
   if :: k<=past[0] -> skip :: else -> past[0]=k;
#else
   if :: k<=past[p]
#ifdef COUNTED
         -> if :: k==M -> marks++ :: else fi
#else
         -> skip
#endif
      :: else -> past[p]=k;
#endif
      if :: k<M -> toldpast[p]++; assert(toldpast[p]==k) :: else -> mark[p]=1; marks++ fi fi } }
#ifdef COUNTED
#define DONE(p) (marks>=2)
#else
#define DONE(p) (mark[p])
#endif
inline release(){
  if :: DONE(0) && held[0]==1 -> held[0]=2; tell_live(0) :: else fi;
  if :: DONE(1) && held[1]==1 -> held[1]=2; tell_live(1) :: else fi }
proctype Owner(byte p; bool lasts){ byte k=1;
  do
#ifdef EARLYMARK
  :: atomic{ k==2 -> take(p, M); release(); k=3 }
  :: atomic{ k==1 -> take(p, 1); k=2 }
  :: atomic{ k==3 -> take(p, 2); k=4 }
#else
  :: atomic{ k<=M -> take(p, k); release(); k++ }
#endif
  :: k==4 -> break
  :: !lasts -> break
  od }
proctype New(byte p){                   /* the same partition's owner, beside that work */
  do
  :: atomic{ if :: live[p]>0 -> skip :: else -> live[p]=1;
#ifdef NOHOLD
       tell_live(p)
#else
       if :: DONE(p) -> tell_live(p); held[p]=2 :: else -> held[p]=1 fi
#endif
       fi; break }
  od }
init { atomic{ run Owner(0,0); run Owner(0,1); run Owner(1,0); run Owner(1,1); run New(0); run New(1) }; (_nr_pr==1);
  assert(toldpast[0]==2 && toldpast[1]==2 && toldlive[0]==1 && toldlive[1]==1) }
