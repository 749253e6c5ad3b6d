#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <cmath>
#include <ctime>
#include <cuda_runtime.h>
#ifndef TASK
#define TASK 0
#endif
#if TASK==0
#define M 7
#define R 8
#define NC 5
#define K 7
#define LM 7
#define CAP 60
#define SCALE 6.5f
#define TS 1.0f
#else
#define M 21
#define R 10
#define NC 100
#define K 3
#define LM 21
#define CAP 40
#define SCALE 12.f
#define TS 0.25f
#endif
typedef uint8_t u8;
struct P{ u8 l[LM][4]; u8 v[R]; u8 start; };
__constant__ u8 IN[NC][M]; __constant__ u8 WA[NC][K];
__constant__ P ST[4]; 
__device__ unsigned BEST; __device__ P BP; __device__ int LOCK;
__device__ inline unsigned rnd(uint64_t&s){ s^=s<<13; s^=s>>7; s^=s<<17; return (unsigned)(s>>32);}
__device__ inline unsigned bel(uint64_t&s,unsigned n){ return __umulhi(rnd(s),n);}
__device__ float ev(const P&p,float bound,float wrong,int&bad,int&steps){
  float tot=0; bad=0; steps=0;
  for(int c=0;c<NC;c++){
    u8 t[M]; u8 r[R];
    for(int i=0;i<M;i++)t[i]=IN[c][i];
    for(int i=0;i<R;i++)r[i]=p.v[i];
    int h=p.start,n=0; bool stop=false;
    while(n<CAP){
      const u8*q=p.l[h]; int a=r[q[1]],b=r[q[2]],v=0; n++; int nx=h+1;
      switch(q[0]){
        case 0: stop=true;break; case 1: break;
        case 2: v=a+1==M?0:a+1;break; case 3: v=a==0?M-1:a-1;break;
        case 4: v=a+b;if(v>=M)v-=M;break; case 5: v=a-b;if(v<0)v+=M;break;
        case 6: v=min(a,b);break; case 7: v=max(a,b);break;
        case 8: v=t[a];break; case 9: t[a]=b;break; case 10: if(a==0)nx=b;break; }
      r[q[3]]=v; if(stop)break; h=nx>=LM?0:nx;
      if(tot+n>bound)return 1e9f;
    }
    steps+=n; int w=0; for(int i=0;i<K;i++)w+=t[i]!=WA[c][i];
    if(!stop)w+=2; bad+=w; tot+=n+wrong*w; if(tot>bound)return 1e9f;
  }
  return tot;
}
__device__ void mut(P&p,uint64_t&s){
  unsigned k=bel(s,32); int i=bel(s,LM);
  if(k<4)p.l[i][0]=bel(s,11); else if(k<9)p.l[i][1+bel(s,2)]=bel(s,R); else if(k<12)p.l[i][3]=bel(s,R);
  else if(k<17){int j=bel(s,R);unsigned z=bel(s,3);p.v[j]=z==0?(p.v[j]+1)%M:z==1?(p.v[j]+M-1)%M:bel(s,M);}
  else if(k<18)p.start=bel(s,LM);
  else if(k<20){int j=bel(s,LM);for(int x=0;x<4;x++){u8 y=p.l[i][x];p.l[i][x]=p.l[j][x];p.l[j][x]=y;}}
  else if(k<23){int j=bel(s,LM);int d=j>i?1:-1;while(i!=j){for(int x=0;x<4;x++){u8 y=p.l[i][x];p.l[i][x]=p.l[i+d][x];p.l[i+d][x]=y;}i+=d;}}
  else if(k<27){p.l[i][0]=bel(s,11);for(int x=1;x<4;x++)p.l[i][x]=bel(s,R);}
  else if(k<29){int j=bel(s,LM);for(int x=0;x<4;x++)p.l[i][x]=p.l[j][x];}
  else {p.l[i][1+bel(s,3)]=bel(s,R); i=bel(s,LM); if(bel(s,2))p.l[i][0]=bel(s,11); else p.l[i][1+bel(s,3)]=bel(s,R); }
}
__global__ void go(uint64_t seed,int n,int ns,P*own,unsigned*ob,int*hist){
  int id=blockIdx.x*blockDim.x+threadIdx.x; uint64_t s=seed*0x9E3779B97F4A7C15ull+(uint64_t)id*0xBF58476D1CE4E5B9ull+1; for(int i=0;i<8;i++)rnd(s);
  P p; unsigned u=bel(s,10);
  if(u<4&&ob[id]<1000000){p=own[id];} else {p=ST[bel(s,ns)];}
  float hot=(2.f+2.5f*bel(s,1000)/1000.f)*TS,cold=(0.3f+1.2f*bel(s,1000)/1000.f)*TS,wr=(1.6f+1.6f*bel(s,1000)/1000.f)*SCALE;
  int bad,st; float cur=ev(p,1e8f,wr,bad,st); unsigned mine=1000000;
  float T=hot;
  for(int i=0;i<n;i++){
    if((i&255)==0)T=NC*hot*powf(cold/hot,(float)i/n);
    P q=p; mut(q,s); float uu=(rnd(s)+1.f)*2.3283064e-10f; float bound=cur-T*__logf(uu);
    float c=ev(q,bound,wr,bad,st); if(c>bound)continue;
    p=q;cur=c;
    if(bad==0&&(unsigned)st<mine){ mine=st; if(mine<ob[id]){ob[id]=mine;own[id]=p;}
      if((unsigned)st<BEST){ while(atomicCAS(&LOCK,0,1)!=0){} if((unsigned)st<BEST){BEST=st;BP=p;__threadfence();} __threadfence(); atomicExch(&LOCK,0);} }
  }
  if(mine<1000000)atomicAdd(&hist[min(mine*10/NC,999u)],1);
}
static const char*NM[]={"STOP","ZERO","INC","DEC","ADD","SUB","MIN","MAX","READ","WRITE","JEZ"};
void show(P&p){ printf("start %d regs",p.start); for(int i=0;i<R;i++)printf(" R%d=%d",i,p.v[i]); printf("\n"); for(int i=0;i<LM;i++)printf(" %d: R%d=%s(R%d,R%d)\n",i,p.l[i][3],NM[p.l[i][0]],p.l[i][1],p.l[i][2]); fflush(stdout);}
void prog(P&p,const int*x,int nl,const int*v,int nv,int st){ for(int i=0;i<LM;i++)for(int j=0;j<4;j++)p.l[i][j]=i<nl?x[i*4+j]:0; for(int i=0;i<R;i++)p.v[i]=i<nv?v[i]:0; p.start=st;}
int main(int ac,char**av){
  int secs=atoi(av[1]); int n=atoi(av[2]); uint64_t seed=ac>3?atoi(av[3]):1; int B=132*8,TH=64*2; 
  u8 in[NC][M]={},wa[NC][K]; P st[4]; int ns;
#if TASK==0
  for(int c=0;c<5;c++){for(int i=0;i<6;i++){in[c][i]=c+1;wa[c][i]=c+2;}in[c][6]=0;wa[c][6]=0;}
  int g[]={8,0,0,1, 10,1,3,4, 2,1,0,1, 9,0,1,4, 2,0,0,0, 10,4,2,5, 0,0,0,5}; int gv[]={0,0,0,6,0,0,0,0}; prog(st[0],g,7,gv,8,0);
  int k[]={0,0,0,3, 8,3,0,4, 2,4,0,1, 9,6,1,6, 9,0,1,5, 3,0,0,0, 10,5,0,5}; int kv[]={4,4,2,1,1,0,5,0}; prog(st[1],k,7,kv,8,1);
  st[2]=st[0]; ns=ac>4?atoi(av[4]):1; 
#else
  srand(3); int c=0; for(int a=1;a<=10;a++)for(int b=1;b<=10;b++){int m=a>b?a:b; in[c][0]=a;in[c][1]=b;in[c][2]=m+rand()%(21-m);wa[c][0]=a<b?a:b;wa[c][1]=m;wa[c][2]=in[c][2];c++;}
  int k[]={8,9,0,4, 8,8,0,3, 7,3,4,5, 5,5,4,5, 10,5,7,6, 9,9,3,6, 9,8,4,6, 0,0,0,6}; int kv[]={2,3,20,0,0,0,0,7,0,1}; prog(st[0],k,8,kv,10,0);
  int g[]={8,9,0,4, 8,8,0,3, 6,3,4,5, 7,3,4,3, 9,8,5,6, 9,9,3,6, 0,0,0,6}; prog(st[1],g,7,kv,10,0);
  int e[]={8,9,0,4, 8,8,0,3, 5,4,3,5, 10,6,5,2, 9,9,3,6, 9,8,4,6, 0,0,0,6}; int ev2[]={2,3,20,0,0,0,0,7,0,1}; prog(st[2],e,7,ev2,10,0); ns=3;
#endif
  cudaMemcpyToSymbol(IN,in,sizeof in); cudaMemcpyToSymbol(WA,wa,sizeof wa); cudaMemcpyToSymbol(ST,st,sizeof st);
  unsigned b0=1000000; cudaMemcpyToSymbol(BEST,&b0,4); int z=0; cudaMemcpyToSymbol(LOCK,&z,4);
  P*own; unsigned*ob; int*hist; int N=B*TH; cudaMalloc(&own,N*sizeof(P)); cudaMalloc(&ob,4*N); cudaMalloc(&hist,4000); cudaMemset(ob,0x7f,4*N);
  time_t t0=time(0); unsigned last=1000000; double tot=0; int round=0;
  while(time(0)-t0<secs){ cudaMemset(hist,0,4000); go<<<B,TH>>>(seed*1000+round,n,ns,own,ob,hist); cudaError_t e=cudaDeviceSynchronize(); if(e){printf("err %s\n",cudaGetErrorString(e));return 1;}
    tot+=(double)N*n; round++; unsigned b; cudaMemcpyFromSymbol(&b,BEST,4); int h[1000]; cudaMemcpy(h,hist,4000,cudaMemcpyDeviceToHost);
    if(b<last){last=b;P p;cudaMemcpyFromSymbol(&p,BP,sizeof p);printf("%lds best %.3f after %.3g evals\n",(long)(time(0)-t0),b/(float)NC,tot);show(p);} 
    if(round%8==1){printf("round %d %lds %.3g evals/s:",round,(long)(time(0)-t0),tot/(time(0)-t0+1e-9));int q=0;for(int i=0;i<1000&&q<8;i++)if(h[i]){printf(" %.1f:%d",i/10.,h[i]);q++;}printf("\n");fflush(stdout);} }
  printf("done best %.3f, %.3g evals\n",last/(float)NC,tot);
}
