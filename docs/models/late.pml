/* A topic is deleted, made anew and repaired while stages work: a run that began before commits its position after the repair.
   A position names the incarnation of the topic that its offset counts in. A run that finds another one begins at the new topic's start
   and keeps what it has seen. It asks for the incarnation once it reads: a follower of a deleted topic fails.
   Readers drop names that do not advance within an incarnation. The process that works on may end and begin again (twice at most).
   Assertion: whatever was committed to the store reaches the reader once.
   Mutations: UNNAMED (the position does not name the incarnation), ASKFIRST (the incarnation is asked for before the reading begins) */
byte tinc=1; byte L[4]; byte n;           /* the topic: sequences by offset */
byte coff, cinc=1, cseen;                 /* the committed position */
byte last_inc; short last_off=-1;         /* the reader's last name */
byte told[5]; byte starts; bool over; bool done; bool rested; bool late; bool gone;
inline commit(s){ d_step{ L[n]=s; n++ } }
inline tell(inc,o,s){ if :: inc==last_inc && o<=last_off -> skip :: else -> last_inc=inc; last_off=o; told[s]++ fi }
active proctype World(){
  commit(1); commit(2);
  rested;
  d_step{ n=0; tinc=2; coff=0; cinc=2; gone=1 };        /* made anew and repaired; what was seen stays seen */
  commit(3); commit(4); over=1 }
/* The run that began before: it has told everything, and commits now, later, or never. */
active proctype Old(){ byte o, s;
  do
  :: atomic{ !gone && o<n -> s=L[o]; tell(1,o,s); o++; if :: o==2 -> rested=1 :: else fi }
  :: o==2 -> break
  od;
  if :: atomic{ coff=o; cinc=1; cseen=s } :: skip fi;
  late=1 }
active proctype New(){ byte o, s, inc, mine, pinc;
begins: starts++; inc=0;
#ifdef ASKFIRST
  inc=tinc;
#endif
  rested;
  atomic{ o=coff; pinc=cinc; s=cseen };
  /* The reading begins: it is of this topic, and fails when that goes. */
  atomic{ mine=tinc;
#ifndef ASKFIRST
    inc=tinc;
#endif
#ifndef UNNAMED
    if :: pinc!=inc -> o=0 :: else fi
#endif
  };
  do
  :: mine!=tinc -> goto begins
  :: atomic{ mine==tinc && o<n -> if :: L[o]>s -> s=L[o]; tell(inc,o,s) :: else fi; o++ }
  :: atomic{ mine==tinc && o>0 -> coff=o; cinc=inc; cseen=s; if :: starts<3 -> goto begins :: else fi; 
       if :: over && late && o>=n -> break :: else fi }
  :: over && late && mine==tinc && o>=n -> break
  od;
  done=1 }
init { done; assert(told[1]==1 && told[2]==1 && told[3]==1 && told[4]==1) }
