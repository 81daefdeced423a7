/* Clocks. The store's clock leaps ahead or back at any time and comes right again; a row carries the time of its commit. The log
   refuses entries that lie too far ahead (as Kafka 4 does), and removes what is old; a stage reads what the relay has written.
   As designed: entries get the log's own time when they are appended.
   Mutation: CREATETIME entries carry the row's time
   Assertions: every row is published once the clock is right; nothing is removed before it could be read. */
#define REAL 10
#define AHEAD 3       /* further ahead is refused */
#define KEPT 5        /* older is removed */
byte clock=REAL; byte rows[3]; byte rn, pub, rd; byte time[3]; bool right;
active proctype Clock(){ if :: clock=REAL+8 :: clock=REAL-8 :: skip fi; clock=REAL; right=1 }
active proctype Store(){ do :: atomic{ rn<3 -> rows[rn]=clock; rn++ } :: rn==3 -> break od }
active proctype Relay(){ do
  :: atomic{ pub<rn &&
#ifdef CREATETIME
       rows[pub]<=REAL+AHEAD -> time[pub]=rows[pub];
#else
       1 -> time[pub]=REAL;
#endif
       pub++ }
  :: pub==3 -> break
  od }
active proctype Retention(){ end: atomic{ rd<pub && time[rd]+KEPT<REAL -> assert(0) } }
active proctype Stage(){ do :: rd<pub -> rd++ :: rd==3 -> break od }
