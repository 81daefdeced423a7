/* The waiting rule of stage 1. The relay publishes: save of s @1, save and deletion of x @2 (tombstoned at once, so that no entry of
   sequence 2 is left), then the change @3, which names 2 as the last event before it. A leader of `subscriptions` was paused and
   answers what it knew. As designed: `#reached` 2 is written before the change; the table waits for an event or for it.
   Mutations: ENDHINT   the table is complete at the end that a broker tells
              NOREACHED nobody writes `#reached`: the matcher waits for ever
              EARLY     `#reached` is written before the events are */
byte T[6]; byte n; byte known; bool paused; bool change; bool matched;
#define REACHED 9
active proctype Brokers(){ end: atomic{ !paused -> paused=1; known=n } }
active proctype Relay(){
#ifdef EARLY
  atomic{ T[n]=REACHED; n++ };
#endif
  atomic{ T[n]=1; n++ };                    /* s saved */
  atomic{ T[n]=0; n++ };                    /* what is left of x @2: a tombstone */
#ifndef NOREACHED
#ifndef EARLY
  atomic{ T[n]=REACHED; n++ };
#endif
#endif
  change=1 }
active proctype Matcher(){ byte r, reached, e; bool s, old, was, asked;
  do
  :: atomic{ paused && !was -> was=1; old=1 }                   /* its fetch hangs at the paused leader, then is answered by it */
  :: atomic{ old -> old=0 }
  :: atomic{ (!old && r<n) || (old && r<known) ->
       if :: T[r]==1 -> s=1; if :: reached<1 -> reached=1 :: else fi
          :: T[r]==REACHED -> reached=2
          :: else fi; r++ }
#ifdef ENDHINT
  :: atomic{ change && !asked -> asked=1; if :: e=n :: paused -> e=known fi }
  :: atomic{ asked && (reached>=2 || r>=e) -> assert(s); matched=1; break }
#else
  :: atomic{ change && reached>=2 -> assert(s); matched=1; break }
#endif
  od }
init { (matched) }
