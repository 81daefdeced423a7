/* Two record-services have copies of one store, and publish to one log. A relay claims the log at each start (decision 0044).
     (none)  the copy is made at rest: nothing is published under one name twice
     LIVE    the copy is made of a running store, at any moment: who goes on has published nothing under a name that the other
             has given as well
     CRASHES n processes may die at any point: names that were given twice are never silent, one of the two is refused
   Mutations: NOCLAIM (the claim is not compared at a start), NOVERIFY (a start does not read up to its own record), NOWATCH (a running
   relay does not follow the record), NOFENCE (it compares again, and forgets that both have published), FORGET (it begins to look at
   the records anew when it compares again) */
#ifndef CRASHES
#define CRASHES 0
#endif
#define LOG 14
byte owner[LOG]; byte pub[LOG]; byte n=1;   /* identity records: claims, and the highest sequence published; the first is of claim 1 */
byte given=1;                               /* claims that were chosen */
byte copy[2]; byte claim[2]; byte seq[2]; bool fenced[2]; /* stores: the claim of the copy, the one that was begun, the last sequence */
bool has[2];                                /* the second store exists once the copy is made */
bool did[8];                                /* published: service * 4 + sequence */
bool refused[2]; bool gone[2]; bool idle[2]; bool over; byte crashes=CRASHES;
byte pos[2];

#ifdef NOWATCH
#define QUIET(i) (gone[i] || idle[i])
#else
#define QUIET(i) (gone[i] || idle[i] && pos[i]==n)
#endif
#define CRASH :: atomic{ crashes>0 -> crashes--; pos[i]=0; goto starts }

proctype Service(bit i){ byte from, own, base, k; byte saves=2;
  has[i];
starts: atomic{ from=n;
#ifdef FORGET
    base=seq[i]; pos[i]=n;
#else
    if :: pos[i]==0 -> base=seq[i]; pos[i]=n :: else fi;
#endif
    if
#ifdef NOCLAIM
    :: fenced[i] || pub[n-1]>seq[i] -> refused[i]=1; goto out
#else
    :: fenced[i] || pub[n-1]>seq[i] || (owner[n-1]!=copy[i] && owner[n-1]!=claim[i]) -> refused[i]=1; goto out
#endif
    :: else fi }
  d_step{ given++; claim[i]=given }
  if CRASH :: true fi;
  d_step{ assert(n<LOG); own=n; owner[n]=claim[i]; pub[n]=pub[from-1]; n++ }
  if CRASH :: true fi;
#ifndef NOVERIFY
  d_step{ k=from; from=LOG;                  /* the last other record before one's own */
    do :: k<own -> if :: owner[k]!=claim[i] -> from=k :: else fi; k++ :: else -> break od;
    if :: from<LOG -> assert(n<LOG); owner[n]=owner[from]; pub[n]=pub[from]; n++; refused[i]=1 :: else fi }
  if :: refused[i] -> goto out :: else fi;
#endif
#ifndef NOFENCE
  d_step{ k=pos[i];                          /* what came since the last look at the records */
    do :: k<own -> if :: owner[k]!=claim[i] && owner[k]!=copy[i] && pub[k]>base -> fenced[i]=1; refused[i]=1 :: else fi; k++
       :: else -> break od; k=0 }
  if :: refused[i] -> goto out :: else fi;
#endif
  d_step{ copy[i]=claim[i]; pos[i]=own+1 }
  do
  :: atomic{ saves>0 && seq[i]<3 && n<LOG-4 -> idle[i]=0; saves--; seq[i]++; did[i*4+seq[i]]=1;
       owner[n]=claim[i]; pub[n]=seq[i]; n++ }
#ifndef NOWATCH
  :: atomic{ pos[i]<n ->
       if :: owner[pos[i]]==claim[i] -> pos[i]++
          :: else -> if
#ifndef NOFENCE
               :: pub[pos[i]]>base -> fenced[i]=1; refused[i]=1; goto out
#endif
               :: else -> pos[i]++; goto starts fi fi }
#endif
  CRASH
  :: atomic{ pos[i]==n -> idle[i]=1; goto rests }
#ifdef NOWATCH
  :: atomic{ idle[i]=1; goto rests }
#endif
  od;
rests: do
#ifndef NOWATCH
  :: atomic{ pos[i]<n ->
       if :: owner[pos[i]]==claim[i] -> pos[i]++
          :: else -> if
#ifndef NOFENCE
               :: pub[pos[i]]>base -> fenced[i]=1; refused[i]=1; goto out
#endif
               :: else -> idle[i]=0; pos[i]++; goto starts fi fi }
#endif
  :: over -> break
  od;
out: gone[i]=1 }

active proctype Copy(){
#ifdef LIVE
  /* The files at one moment. */
  atomic{ copy[1]=copy[0]; claim[1]=claim[0]; seq[1]=seq[0]; fenced[1]=fenced[0]; has[1]=1 }
#else
  skip
#endif
}

init { atomic{ owner[0]=1; copy[0]=1; claim[0]=1; has[0]=1;
#ifndef LIVE
    copy[1]=1; claim[1]=1; has[1]=1;
#endif
    run Service(0); run Service(1) }
  byte s=1;
  atomic{ QUIET(0) && QUIET(1) -> over=1 }
  do :: s<4 ->
       if :: did[s] && did[4+s] ->
#if CRASHES
            assert(refused[0] || refused[1])
#else
#ifdef LIVE
            assert(refused[0] && refused[1])
#else
            assert(false)
#endif
#endif
          :: else fi; s++
     :: else -> break od }
