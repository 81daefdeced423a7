/* What belongs together is lost apart while a stage works: one of these happens once, then the stage fails and starts again.
     TOPIC   the input topic is made anew: offsets begin at 0, another topic ID and incarnation
     STATE   delivery-state is made anew, the offset is kept
     OFFSET  the offset is forgotten and the input's head is gone, the state is kept
     NEW     a new store beside the old log: another incarnation, sequences from 1
     OLDER   a store restored from an older copy: the same incarnation, sequences used again
   The stage compares the `identity` record at each start and refuses. Readers drop names that do not advance within an incarnation.
   Assertion: whatever the store committed after the event reaches the reader, or somebody refuses to work.
   Mutations: NOCHECK (nobody compares), CACHE (topic made anew knowingly, repaired, but the process keeps the incarnation it knew) */
byte tinc=1, sinc=1;                 /* incarnations of the input topic and of the store */
byte ident_t=1, ident_s=1, ident_seq;  /* the identity record */
byte seq; byte L[8]; byte n, start;  /* the store's sequence; the input: sequences by offset */
bool state=1; byte state_seen; byte state_sinc=1; byte off; bool hasoff=1;    /* what the stage has committed */
byte last_inc=1; short last_off=-1;  /* the reader's last name */
byte told; byte committed; bool refused; bool happened; bool over; bool stopped;
inline commit(){ d_step{ seq++; L[n]=seq; n++; if :: sinc==ident_s && seq>ident_seq -> ident_seq=seq :: else fi } }
inline event(){ d_step{
#ifdef TOPIC
  n=0; start=0; tinc=2;
#ifdef REPAIRED
  ident_t=2; off=0;
#endif
#endif
#ifdef STATE
  state=0; state_seen=0;
#endif
#ifdef OFFSET
  seq++; ident_seq=seq; L[n]=seq; n++; committed++; hasoff=0; start=n;   /* one unread entry is gone, too */
#endif
#ifdef NEW
  sinc=2; seq=0;
#endif
#ifdef OLDER
  seq=1;
#endif
  happened=1 } }
active proctype World(){ commit(); commit(); (off==2) -> event();
#ifndef NOCHECK
  /* the record service compares at its own start, before it takes a save */
  if :: ident_s!=sinc || seq<ident_seq -> refused=1; over=1; goto ended :: else fi;
#endif
  atomic{ commit(); committed++ }; over=1;
ended: skip }
active proctype Stage(){ byte inc=1; byte e; bool fresh;
starts: atomic{ 
#ifndef CACHE
    inc=tinc;
#endif
#ifndef NOCHECK
    if :: ident_t!=tinc || ident_s!=sinc || seq<ident_seq || !state&&hasoff || state&&!hasoff -> refused=1; goto stops :: else fi;
#endif
    if :: !hasoff -> off=start :: else fi };
  do
  :: atomic{ off<n && (!happened || fresh) -> e=L[off];
       if :: state && state_sinc==sinc && e<=state_seen -> skip            /* a repeat, as stage 2 sees it */
          :: else -> state_seen=e; state_sinc=sinc;
             /* devices registered with the state: without it nobody is told */
             if :: !state || (sinc==2) -> skip
                :: else -> if :: inc==last_inc && off<=last_off -> skip :: else -> last_inc=inc; last_off=off; if :: happened -> told++ :: else fi fi fi fi;
       off++; hasoff=1 }
  :: atomic{ happened && !fresh -> fresh=1; goto starts }
  :: atomic{ over && off==n && fresh -> break }
  od;
stops: stopped=1 }
init { (over && stopped); assert(refused || told==committed) }
