/* A device that registered reads the journal up to the entry that `registered` names, then its own topic. The journal's leader was
   paused and answers what it knew; the journal may seem absent for a moment; retention may have cut its head.
   As designed: the journal is left once the named entry was seen or is known to lie below the journal's start; what seems
   absent is asked for again.
   Mutations: TOLDEND  the journal is left at the end that a broker tells
              ABSENT   a journal that seems absent is taken for empty
   Pages hold one notification and are read with one more, to know whether there is one:
              DROPPED  an error of that look-ahead is dropped (otherwise it is kept for the next page) */
#define K 4                     /* journal entries 1..K, K is the named one; then feed entries K+1, K+2 */
byte jn=K; byte known; bool paused; byte js; byte got; bool fin; byte tries; bool kept;
active proctype Brokers(){ end: do
  :: atomic{ !paused -> paused=1; if :: known=1 :: known=2 :: known=3 fi }
  :: atomic{ js<2 && got==0 -> js++ }
  od }
inline deliver(p){ d_step{ if :: got==0 && p<=js+1 -> skip :: else -> assert(p==got+1) fi; got=p } }
active proctype Reader(){ byte off, e, p; byte part;
  do
  :: part==0 -> atomic{
       if :: off<js && got==0 -> off=js :: else fi;
       e=jn; if :: skip :: paused -> e=known
#ifdef ABSENT
          :: tries<2 -> tries++; part=1; off=0
#endif
          fi;
       if :: part==1 -> skip
          :: part==0 && got==K -> part=1; off=0                 /* the named entry was seen */
          :: part==0 && got<K && off<e && off>=js -> p=off+1; off++;
             if :: deliver(p)
                :: tries<2 -> tries++;                          /* the look-ahead fails after the cursor has advanced */
#ifdef DROPPED
                   skip
#else
                   off--                                        /* the next page is the error; the client asks again from its token */
#endif
             fi
          :: part==0 && got<K && (off>=e || off<js) ->
#ifdef TOLDEND
             part=1; off=0
#else
             skip                                               /* TRY_AGAIN_LATER */
#endif
       fi; e=0; p=0 }
  :: part==1 && off<2 -> atomic{ p=K+1+off; off++; deliver(p); p=0 }
  :: part==1 && off==2 -> fin=1; break
  od }
