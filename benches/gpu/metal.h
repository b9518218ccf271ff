// The part of Metal's library that naga's texts use, for NVIDIA's compiler: Metal is C++, as CUDA is.
typedef unsigned int uint;
#define device
#define thread
#define threadgroup
#define constant const
#define INLINE __device__ __forceinline__

namespace metal {
using ::uint;

template <class T> struct vec2;
template <class T> struct vec3;
template <class T> struct vec4;

// common part of vectors of every length; `pick<0, 2>()` stands for `.xz`
#define COMMON(N) \
    INLINE T& operator[](int i) { return (&x)[i]; } \
    INLINE T operator[](int i) const { return (&x)[i]; } \
    template <int A, int B> INLINE vec2<T> pick() const { return vec2<T>((*this)[A], (*this)[B]); } \
    template <int A, int B, int C> INLINE vec3<T> pick() const { return vec3<T>((*this)[A], (*this)[B], (*this)[C]); } \
    template <int A, int B, int C, int D> INLINE vec4<T> pick() const { return vec4<T>((*this)[A], (*this)[B], (*this)[C], (*this)[D]); } \
    template <class U> explicit INLINE vec##N(const vec##N<U>& v) { for (int i = 0; i < N; i++) (*this)[i] = (T)v[i]; }

template <class T> struct vec2 {
    T x, y;
    INLINE constexpr vec2() : x(), y() {}
    INLINE constexpr vec2(T s) : x(s), y(s) {}
    INLINE constexpr vec2(T a, T b) : x(a), y(b) {}
    COMMON(2)
};
template <class T> struct vec3 {
    T x, y, z;
    INLINE constexpr vec3() : x(), y(), z() {}
    INLINE constexpr vec3(T s) : x(s), y(s), z(s) {}
    INLINE constexpr vec3(T a, T b, T c) : x(a), y(b), z(c) {}
    INLINE constexpr vec3(vec2<T> v, T c) : x(v.x), y(v.y), z(c) {}
    INLINE constexpr vec3(T a, vec2<T> v) : x(a), y(v.x), z(v.y) {}
    COMMON(3)
};
template <class T> struct alignas(16) vec4 {
    T x, y, z, w;
    INLINE constexpr vec4() : x(), y(), z(), w() {}
    INLINE constexpr vec4(T s) : x(s), y(s), z(s), w(s) {}
    INLINE constexpr vec4(T a, T b, T c, T d) : x(a), y(b), z(c), w(d) {}
    INLINE constexpr vec4(vec3<T> v, T d) : x(v.x), y(v.y), z(v.z), w(d) {}
    INLINE constexpr vec4(T a, vec3<T> v) : x(a), y(v.x), z(v.y), w(v.z) {}
    INLINE constexpr vec4(vec2<T> u, vec2<T> v) : x(u.x), y(u.y), z(v.x), w(v.y) {}
    INLINE constexpr vec4(T a, T b, vec2<T> v) : x(a), y(b), z(v.x), w(v.y) {}
    INLINE constexpr vec4(T a, vec2<T> v, T d) : x(a), y(v.x), z(v.y), w(d) {}
    INLINE constexpr vec4(vec2<T> u, T c, T d) : x(u.x), y(u.y), z(c), w(d) {}
    COMMON(4)
};
typedef vec2<bool> bool2; typedef vec3<bool> bool3; typedef vec4<bool> bool4;
typedef vec2<int> int2; typedef vec3<int> int3; typedef vec4<int> int4;
typedef vec2<uint> uint2; typedef vec3<uint> uint3; typedef vec4<uint> uint4;
typedef vec2<float> float2; typedef vec3<float> float3; typedef vec4<float> float4;
typedef float3 packed_float3;
typedef int3 packed_int3;

// componentwise operators, and operators of a vector with a number
#define EACH(R, T, op) \
    INLINE vec2<R> operator op(vec2<T> a, vec2<T> b) { return vec2<R>(a.x op b.x, a.y op b.y); } \
    INLINE vec3<R> operator op(vec3<T> a, vec3<T> b) { return vec3<R>(a.x op b.x, a.y op b.y, a.z op b.z); } \
    INLINE vec4<R> operator op(vec4<T> a, vec4<T> b) { return vec4<R>(a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w); }
#define ARITHMETIC(T) EACH(T, T, +) EACH(T, T, -) EACH(T, T, *) EACH(T, T, /)
#define COMPARISON(T) EACH(bool, T, <) EACH(bool, T, <=) EACH(bool, T, >) EACH(bool, T, >=) EACH(bool, T, ==) EACH(bool, T, !=)
#define BITWISE(T) EACH(T, T, &) EACH(T, T, |) EACH(T, T, ^) EACH(T, T, <<) EACH(T, T, >>)
ARITHMETIC(float) ARITHMETIC(int) ARITHMETIC(uint)
COMPARISON(float) COMPARISON(int) COMPARISON(uint)
BITWISE(int) BITWISE(uint)
INLINE int2 operator>>(int2 a, uint2 b) { return int2(a.x >> b.x, a.y >> b.y); }
INLINE int3 operator>>(int3 a, uint3 b) { return int3(a.x >> b.x, a.y >> b.y, a.z >> b.z); }
INLINE int4 operator>>(int4 a, uint4 b) { return int4(a.x >> b.x, a.y >> b.y, a.z >> b.z, a.w >> b.w); }
EACH(bool, bool, &) EACH(bool, bool, |) EACH(bool, bool, ==)
#define NEGATIVE(T) \
    INLINE vec2<T> operator-(vec2<T> a) { return vec2<T>(-a.x, -a.y); } \
    INLINE vec3<T> operator-(vec3<T> a) { return vec3<T>(-a.x, -a.y, -a.z); } \
    INLINE vec4<T> operator-(vec4<T> a) { return vec4<T>(-a.x, -a.y, -a.z, -a.w); }
NEGATIVE(float) NEGATIVE(int)

INLINE bool all(bool a) { return a; }
INLINE bool any(bool a) { return a; }
INLINE bool all(bool2 a) { return a.x && a.y; }
INLINE bool any(bool2 a) { return a.x || a.y; }
INLINE bool all(bool3 a) { return a.x && a.y && a.z; }
INLINE bool any(bool3 a) { return a.x || a.y || a.z; }
INLINE bool all(bool4 a) { return a.x && a.y && a.z && a.w; }
INLINE bool any(bool4 a) { return a.x || a.y || a.z || a.w; }

// functions of one number, and componentwise functions of vectors
#define OVER1(T, f) \
    INLINE vec2<T> f(vec2<T> a) { return vec2<T>(f(a.x), f(a.y)); } \
    INLINE vec3<T> f(vec3<T> a) { return vec3<T>(f(a.x), f(a.y), f(a.z)); } \
    INLINE vec4<T> f(vec4<T> a) { return vec4<T>(f(a.x), f(a.y), f(a.z), f(a.w)); }
#define OVER2(T, f) \
    INLINE vec2<T> f(vec2<T> a, vec2<T> b) { return vec2<T>(f(a.x, b.x), f(a.y, b.y)); } \
    INLINE vec3<T> f(vec3<T> a, vec3<T> b) { return vec3<T>(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z)); } \
    INLINE vec4<T> f(vec4<T> a, vec4<T> b) { return vec4<T>(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z), f(a.w, b.w)); }
#define REAL(name, f) INLINE float name(float a) { return ::f(a); } OVER1(float, name)
REAL(sqrt, sqrtf) REAL(exp, expf) REAL(exp2, exp2f) REAL(log, logf) REAL(log2, log2f) REAL(sin, sinf) REAL(cos, cosf) REAL(tan, tanf)
REAL(asin, asinf) REAL(acos, acosf) REAL(atan, atanf) REAL(tanh, tanhf) REAL(floor, floorf) REAL(ceil, ceilf) REAL(trunc, truncf)
REAL(rint, rintf) REAL(abs, fabsf) REAL(rsqrt, rsqrtf)
INLINE float pow(float a, float b) { return ::powf(a, b); }
INLINE float atan2(float a, float b) { return ::atan2f(a, b); }
INLINE float fma(float a, float b, float c) { return ::fmaf(a, b, c); }
INLINE float fract(float a) { return a - floor(a); }
INLINE float sign(float a) { return a > 0.0f ? 1.0f : a < 0.0f ? -1.0f : 0.0f; }
INLINE float mix(float a, float b, float t) { return a + (b - a) * t; }
INLINE int abs(int a) { return a < 0 ? -a : a; }
INLINE int popcount(int a) { return ::__popc(a); }
INLINE uint popcount(uint a) { return ::__popc(a); }
INLINE int clz(int a) { return ::__clz(a); }
INLINE uint clz(uint a) { return ::__clz(a); }
INLINE int ctz(int a) { return a ? ::__ffs(a) - 1 : 32; }
INLINE uint ctz(uint a) { return a ? ::__ffs(a) - 1 : 32; }
INLINE float max(float a, float b) { return ::fmaxf(a, b); }
INLINE float min(float a, float b) { return ::fminf(a, b); }
INLINE int max(int a, int b) { return a > b ? a : b; }
INLINE int min(int a, int b) { return a < b ? a : b; }
INLINE uint max(uint a, uint b) { return a > b ? a : b; }
INLINE uint min(uint a, uint b) { return a < b ? a : b; }
OVER2(float, max) OVER2(float, min) OVER2(int, max) OVER2(int, min)
template <class V> INLINE V clamp(V x, V least, V most) { return min(max(x, least), most); }
INLINE float2 clamp(float2 x, float least, float most) { return clamp(x, float2(least), float2(most)); }
template <class T> INLINE T select(T no, T yes, bool c) { return c ? yes : no; }
template <class T> INLINE vec2<T> select(vec2<T> no, vec2<T> yes, bool2 c) { return vec2<T>(c.x ? yes.x : no.x, c.y ? yes.y : no.y); }
template <class T> INLINE vec3<T> select(vec3<T> no, vec3<T> yes, bool3 c) {
    return vec3<T>(c.x ? yes.x : no.x, c.y ? yes.y : no.y, c.z ? yes.z : no.z);
}
template <class T> INLINE vec4<T> select(vec4<T> no, vec4<T> yes, bool4 c) {
    return vec4<T>(c.x ? yes.x : no.x, c.y ? yes.y : no.y, c.z ? yes.z : no.z, c.w ? yes.w : no.w);
}

INLINE float dot(float2 a, float2 b) { return a.x * b.x + a.y * b.y; }
INLINE float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
INLINE float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
INLINE float3 cross(float3 a, float3 b) { return float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }
template <class V> INLINE float length(V a) { return sqrt(dot(a, a)); }
template <class V> INLINE float distance(V a, V b) { return length(a - b); }
template <class V> INLINE V normalize(V a) { return a * rsqrt(dot(a, a)); }

// matrices, in columns
template <int N, class V> struct matrix {
    V column[N];
    INLINE matrix() : column() {}
    INLINE matrix(V a, V b) : column{a, b} {}
    INLINE matrix(V a, V b, V c) : column{a, b, c} {}
    INLINE V& operator[](int i) { return column[i]; }
    INLINE V operator[](int i) const { return column[i]; }
};
typedef matrix<2, float2> float2x2;
typedef matrix<2, float3> float2x3;
typedef matrix<3, float3> float3x3;
INLINE float3 operator*(const float3x3& m, float3 v) { return m[0] * v.x + m[1] * v.y + m[2] * v.z; }
INLINE float2 operator*(float3 v, const float2x3& m) { return float2(dot(v, m[0]), dot(v, m[1])); }
INLINE float3 operator*(float3 v, const float3x3& m) { return float3(dot(v, m[0]), dot(v, m[1]), dot(v, m[2])); }
INLINE float3x3 operator*(const float3x3& m, const float3x3& n) { return float3x3(m * n[0], m * n[1], m * n[2]); }
INLINE float3x3 operator*(const float3x3& m, float s) { return float3x3(m[0] * s, m[1] * s, m[2] * s); }
INLINE float3x3 operator*(float s, const float3x3& m) { return m * s; }
INLINE float3x3 operator+(const float3x3& m, const float3x3& n) { return float3x3(m[0] + n[0], m[1] + n[1], m[2] + n[2]); }
INLINE float3x3 operator-(const float3x3& m, const float3x3& n) { return float3x3(m[0] - n[0], m[1] - n[1], m[2] - n[2]); }
INLINE float3x3 transpose(const float3x3& m) {
    return float3x3(float3(m[0].x, m[1].x, m[2].x), float3(m[0].y, m[1].y, m[2].y), float3(m[0].z, m[1].z, m[2].z));
}

// barriers that are the same to the compiler; their spelling says to `warps` which memory they order
enum class mem_flags { mem_none = 0, mem_device = 1, mem_threadgroup = 2, all = 3 };
INLINE constexpr mem_flags operator|(mem_flags a, mem_flags b) { return (mem_flags)((int)a | (int)b); }
INLINE void threadgroup_barrier(mem_flags which) {
    if (which == mem_flags::all) __syncthreads();
    else asm volatile("barrier.sync 0;" ::: "memory");
}
INLINE void simdgroup_barrier(mem_flags which) {
    if (which == mem_flags::all) __syncwarp();
    else if (which == mem_flags::mem_threadgroup) asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
    else asm volatile("bar.warp.sync 4294967295;" ::: "memory");
}
INLINE bool simd_any(bool x) { return __any_sync(~0u, x); }
INLINE int simd_shuffle_xor(int x, uint mask) { return __shfl_xor_sync(~0u, x, mask); }
INLINE float simd_shuffle_xor(float x, uint mask) { return __shfl_xor_sync(~0u, x, mask); }
INLINE float4 simd_shuffle_xor(float4 x, uint mask) {
    return float4(simd_shuffle_xor(x.x, mask), simd_shuffle_xor(x.y, mask), simd_shuffle_xor(x.z, mask), simd_shuffle_xor(x.w, mask));
}
}

template <class T, class F> INLINE T as_type(F from) {
    static_assert(sizeof(T) == sizeof(F), "as many bits");
    union Bits {
        F from;
        T to;
        INLINE Bits() {}
    } bits;
    bits.from = from;
    return bits.to;
}
