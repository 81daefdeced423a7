/* A push sender in one partition, and its successors: three pushes of one device, each visible or silent.
   A sender reads, merges the pushes that wait (the newest visible one stands for all), hands one at a time to the provider, which
   answers or fails, and commits row and position together. It may die, or live on beside a successor, which fences it. A successor
   hands nothing before it has read to the end that the partition had when it began.
   Assertions: the newest visible push is answered; a sender hands pushes in ascending order, none below those settled when it began;
   where no sender lives on beside its successor, what is handed for the first time is newer than all that was handed before.
   Mutations: NOFLIGHT (the row leaves out the push in flight), APART (the position is committed before the row),
   NEWEST (the newest push stands for all, also a silent one), REPLACE (a failed push replaces a newer one that waits),
   EARLY (a successor hands pushes before it has read to that end) */
#define N 3
bool visible[4]; byte want;               /* pushes 1..N; the newest visible one, or the last */
byte cpos, cwait, csettled;               /* committed: pushes read, the one that waits, the last settled one */
byte epoch, failures; bool got[4]; bool done;
byte published, newest; bool handed[4]; /* pushes written; the newest that was handed, and all of those */
bool beside;                              /* a sender lives on beside its successor */

inline merge(old, new){ if
  :: new==0 -> skip
#ifdef NEWEST
  :: new!=0 -> old=new
#else
  :: new!=0 && (old==0 || visible[new] || !visible[old]) -> old=new
  :: new!=0 && old!=0 && visible[old] && !visible[new] -> skip
#endif
  fi }

proctype Sender(){
  byte mine, pos, wait, flight, settled, last, row, end;
  atomic{ epoch++; mine=epoch; pos=cpos; wait=cwait; settled=csettled; last=csettled; end=published }
  do
  :: atomic{ pos<published && (mine==epoch || flight==0) -> pos++; merge(wait, pos) }
#ifdef EARLY
  :: atomic{ flight==0 && wait!=0 ->
#else
  :: atomic{ flight==0 && wait!=0 && pos>=end ->
#endif
       flight=wait; wait=0; assert(flight>=last); last=flight;
       if :: beside -> skip
          :: !beside && handed[flight] -> skip
          :: else -> assert(flight>newest); handed[flight]=1; newest=flight fi }
  :: atomic{ flight!=0 -> settled=flight; got[flight]=1; flight=0 }
  :: atomic{ flight!=0 && failures<1 -> failures++;
#ifdef REPLACE
       wait=flight;
#else
       row=flight; merge(row, wait); wait=row;
#endif
       flight=0; row=0 }
#ifdef APART
  :: atomic{ mine==epoch && cpos!=pos -> cpos=pos }
  :: atomic{ mine==epoch && cpos==pos -> row=flight; merge(row, wait); cwait=row; csettled=settled; row=0 }
#else
  :: atomic{ mine==epoch ->
#ifndef NOFLIGHT
       row=flight;
#endif
       merge(row, wait); cpos=pos; cwait=row; csettled=settled; row=0 }
#endif
  :: atomic{ mine!=epoch -> break }
  :: atomic{ mine==epoch && epoch<3 -> run Sender(); break }
  :: atomic{ mine==epoch && epoch<3 -> beside=1; newest=0; handed[1]=0; handed[2]=0; handed[3]=0; run Sender(); mine=0 }
  :: atomic{ mine==epoch && pos==N && wait==0 && flight==0 && cpos==N && cwait==0 && csettled==settled -> break }
  od;
  atomic{ if :: mine==epoch && cpos==N && cwait==0 -> done=1 :: else fi;
    pos=0; wait=0; flight=0; settled=0; last=0; mine=0; end=0 } }

proctype Writer(){ atomic{ published<N -> published=N } }

init { byte i=1;
  atomic{
  do :: i<=N -> if :: visible[i]=1; want=i :: skip fi; i++ :: else -> break od;
  if :: want==0 -> want=N :: else fi; i=0; published=1; run Writer(); run Sender() };
  done; assert(got[want]) }
