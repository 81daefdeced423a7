/* A device reads its user's entries among those of others in a partition of `journals`, by pages. The leader was paused and answers what it
   knew; retention may have cut the head before the first page.
   As designed: a page ends at the end that is reported, and its token is behind the last entry that was read.
   Mutations: LEAP     an empty page moves the token to the partition's end, read or not
   Pages hold one notification and are read with one more, to know whether there is one:
              DROPPED  an error of that look-ahead is dropped (otherwise it is kept for the next page) */
#define N 6                     /* entries 1..N; the even ones are the user's */
byte n; byte known; bool paused; byte start; byte got; byte off; byte tries;
active proctype Brokers(){ end: do
  :: atomic{ n<N -> n++ }
  :: atomic{ !paused -> paused=1; known=n }
  :: atomic{ start<n && start<3 && off==0 && got==0 -> start++ }
  od }
inline deliver(p){ d_step{ if :: got==0 -> assert(p==2 || start>0 && p<=start+2) :: else -> assert(p==got+2) fi; got=p } }
active proctype Reader(){ byte e, p;
  do
  :: off<N -> atomic{
       if :: off<start && off==0 -> off=start :: else fi;
       if :: e=n :: paused -> e=known fi;
       if :: off<e -> p=off+1; off++;
             if :: p%2==1 -> skip
                :: p%2==0 -> deliver(p)
                :: p%2==0 && tries<2 -> tries++;               /* the look-ahead fails after the cursor has advanced */
#ifdef DROPPED
                   skip
#else
                   off--                                        /* the next page is the error; the client asks again from its token */
#endif
             fi
          :: else ->
#ifdef LEAP
             off=n
#else
             skip
#endif
       fi; e=0; p=0 }
  :: off==N -> break
  od;
  assert(got==N) }
