/* A feed whose topic is lost while stage 2 tells hits that were held back, all named by one entry and numbered: outputs 1..N, each into
   the journal and then into the feed, committed one by one. Whoever finds the topic gone commits that the feed begins again, makes
   the topic, and writes a registration that names the journal's last output, under that name; then it goes on. A reader without a token
   reads the journal up to the name, then the feed, and drops what does not advance. Crashes anywhere; the topic is lost up to twice.
   Mutations: NOFLAG  the state does not say that the feed begins again: the topic is there, and has no first entry
              AFTER   it says so after the topic is made
              SHIFT   the registration takes the next number, and all outputs after it the one behind */
#define N 3
#define M 14
byte jn[M], jc[M], jlen;                 /* the journal: numbers, and what they tell */
byte fn[M], fc[M], flen, freg;           /* the feed: 0 is a registration, which names freg */
bool there=1, begun;                     /* the topic; its first entry is a registration */
byte cdone, cshift; bool cflag;          /* the committed state */
byte losses=2, crashes=2; bool fin;
#define CRASH if :: crashes>0 -> crashes--; goto restart :: skip fi

active proctype Stage(){
  byte done, shift; bool flag, unsure;
restart:
  atomic{ done=cdone; shift=cshift; flag=cflag; unsure=1 }
next:
  if :: done==N -> goto end :: else fi;
  if
#ifdef NOFLAG
  :: !there ->
#else
  :: !there || (unsure && flag) ->
#endif
#ifdef SHIFT
     shift++;
#endif
#ifndef AFTER
     atomic{ cflag=1; cshift=shift }; flag=1;
     CRASH;
#endif
     atomic{ if :: !there -> there=1; flen=0; begun=0 :: else fi };
     CRASH;
#ifdef AFTER
     atomic{ cflag=1; cshift=shift }; flag=1;
     CRASH;
#endif
     atomic{ if :: there && flen<M ->
          if :: flen==0 -> begun=1; freg=done+shift
#ifdef SHIFT
             -1
#endif
          :: else fi; fn[flen]=done+shift; fc[flen]=0; flen++
        :: else -> goto restart fi };
     flag=0;
     CRASH
  :: else
  fi;
  unsure=0;
  atomic{ assert(jlen<M); jn[jlen]=done+1+shift; jc[jlen]=done+1; jlen++ };
  CRASH;
  atomic{ if :: there -> fn[flen]=done+1+shift; fc[flen]=done+1; flen++ :: !there -> goto restart fi };
  CRASH;
  atomic{ done++; cdone=done; cshift=shift; cflag=flag };
  CRASH;
  goto next;
end:
  atomic{ fin=1 }
}

active proctype Loss(){ do :: atomic{ losses>0 && !fin -> losses--; there=0; flen=0; begun=0 } :: atomic{ fin -> break } od }

active proctype Reader(){ byte i, seen, told;
end_gone:                                  /* a topic that is gone at the end is made again with the next output */
  atomic{ fin && there && flen>0 ->
    /* without its first entry it is read as one whose head was trimmed: the journal is left out */
    do :: begun && i<jlen && jn[i]<=freg ->
          if :: jn[i]>seen -> seen=jn[i]; assert(jc[i]==told+1); told=jc[i] :: else fi; i++
       :: else -> break od;
    i=0; do :: i<flen -> if :: fn[i]>seen -> seen=fn[i]; if :: fc[i]>0 -> assert(fc[i]==told+1); told=fc[i] :: else fi :: else fi; i++
            :: else -> break od;
    assert(told==N) } }
