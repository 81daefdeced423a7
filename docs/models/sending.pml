/* A push sender in one partition, and its successors: three pushes of one device, each visible or silent.
   A sender reads, merges the pushes that wait (the newest visible one stands for all), hands one at a time to the provider, which
   answers or fails, and commits row and position together. It may die, or live on beside a successor, which fences it.
   Assertions: the newest visible push is answered; a sender hands pushes in ascending order, none below those settled when it began.
   Mutations: NOFLIGHT (the row leaves out the push in flight), APART (the position is committed before the row),
   NEWEST (the newest push stands for all, also a silent one), REPLACE (a failed push replaces a newer one that waits) */
#define N 3
bool visible[4]; byte want;               /* pushes 1..N; the newest visible one, or the last */
byte cpos, cwait, csettled;               /* committed: pushes read, the one that waits, the last settled one */
byte epoch, failures; bool got[4]; bool done, ready;

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
  byte mine, pos, wait, flight, settled, last, row;
  atomic{ epoch++; mine=epoch; pos=cpos; wait=cwait; settled=csettled; last=csettled }
  do
  :: atomic{ pos<N && (mine==epoch || flight==0) -> pos++; merge(wait, pos) }
  :: atomic{ flight==0 && wait!=0 -> flight=wait; wait=0; assert(flight>=last); last=flight }
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
  :: atomic{ mine==epoch && epoch<3 -> run Sender(); mine=0 }
  :: atomic{ mine==epoch && pos==N && wait==0 && flight==0 && cpos==N && cwait==0 && csettled==settled -> break }
  od;
  atomic{ if :: mine==epoch && cpos==N && cwait==0 -> done=1 :: else fi;
    pos=0; wait=0; flight=0; settled=0; last=0; mine=0 } }

init { byte i=1;
  atomic{
  do :: i<=N -> if :: visible[i]=1; want=i :: skip fi; i++ :: else -> break od;
  if :: want==0 -> want=N :: else fi; i=0; run Sender() };
  done; assert(got[want]) }
