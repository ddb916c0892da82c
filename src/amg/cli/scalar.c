/* Algorithm 1 on the two-agent Fishermen Game, by hand: what a scalar C loop can do.
 *
 * All sizes and tables are constants, the generator (SFC64) is inlined, there is no certificate and no
 * record of stages. It is a yardstick for the speed of the general kernel, not a check of its results.
 * usage: scalar EPISODES, prints episodes per second and the mean return of agent 1.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { T = 2, S = 2, N = 2, A = 2, D = 3 };
enum { HIGH = 0, INTENSIVE = 0 };

static const double PAY[S][A][A] = {{{10, 18}, {3, 9}}, {{9, 17}, {2, 8}}}; /* s, own, other */
static const double STAYS_HIGH[S][D] = {{1, 2. / 3, 1. / 5}, {1, 1. / 2, 0}}; /* s, intensive ones */
static const double LAMBDA_MIN = 0.9, CV_MAX = 0.2, P = 0.05;

static double v_bar[T + 1][S][N], v_low[T + 1][S][N], q_hat[T][S][N][A], policy[T][S][N][A];
static double r_sum[T][S][N], v_sum[T][S][N], low_sum[T][S][N], earned[N];
static long visits[T][S], length[T][S], histogram[T][S][D];

static uint64_t sfc[4] = {1, 2, 3, 1};

static inline double uniform(void) {
    uint64_t out = sfc[0] + sfc[1] + sfc[3]++;
    sfc[0] = sfc[1] ^ (sfc[1] >> 11);
    sfc[1] = sfc[2] + (sfc[2] << 3);
    sfc[2] = ((sfc[2] << 24) | (sfc[2] >> 40)) + out;
    return (double)(out >> 11) * 0x1p-53;
}

static void reset(int t, int s) {
    visits[t][s] = 0;
    for (int d = 0; d < D; d++) histogram[t][s][d] = 0;
    for (int i = 0; i < N; i++) {
        r_sum[t][s][i] = v_sum[t][s][i] = low_sum[t][s][i] = 0;
        for (int a = 0; a < A; a++) q_hat[t][s][i][a] = 0, policy[t][s][i][a] = 1.0 / A;
    }
}

static void new_stage(int t, int s, double bonus) {
    double c = (double)visits[t][s], mean = 0, squares = 0;
    for (int i = 0; i < N; i++) {
        double b = bonus / sqrt(c);
        v_bar[t][s][i] = fmin((r_sum[t][s][i] + v_sum[t][s][i]) / c + b, T - t);
        v_low[t][s][i] = fmax((r_sum[t][s][i] + low_sum[t][s][i]) / c - b, 0);
    }
    for (int d = 0; d < D; d++) mean += histogram[t][s][d] * (6.0 + 2 * d) / c;
    for (int d = 0; d < D; d++) squares += histogram[t][s][d] * pow(6.0 + 2 * d - mean, 2);
    double cv = sqrt(squares / (c - 1)) / mean;
    double lambda = LAMBDA_MIN + (1 - LAMBDA_MIN) * fmin(cv / CV_MAX, 1);
    length[t][s] = (long)floor(lambda * ((T + 1) * c) / T);
    reset(t, s);
}

static void episode(double bonus) {
    int s = HIGH;
    for (int t = 0; t < T; t++) {
        int a[N], total = 0, after = 0;
        double c = (double)++visits[t][s];
        for (int i = 0; i < N; i++) {
            a[i] = uniform() >= policy[t][s][i][INTENSIVE];
            total += a[i] == INTENSIVE;
        }
        if (t + 1 < T) after = uniform() >= STAYS_HIGH[s][total];
        histogram[t][s][total]++;
        double eta = 2 * sqrt(1 / c);
        for (int i = 0; i < N; i++) {
            double raw = PAY[s][a[i]][a[1 - i]], r = (raw - 2) / 16, v = v_bar[t + 1][after][i];
            earned[i] += raw;
            r_sum[t][s][i] += r, v_sum[t][s][i] += v, low_sum[t][s][i] += v_low[t + 1][after][i];
            q_hat[t][s][i][a[i]] += (T - t - (r + v)) / T / policy[t][s][i][a[i]];
            double gap = q_hat[t][s][i][1] - q_hat[t][s][i][0], u = 0.5 * eta * fabs(gap);
            double far = sqrt(1 + sqrt(1 + u * u) + 0.25 * u * u) + 0.5 * u, p = 1 / (far * far);
            policy[t][s][i][0] = gap >= 0 ? 1 - p : p;
            policy[t][s][i][1] = gap >= 0 ? p : 1 - p;
        }
        if (visits[t][s] == length[t][s]) new_stage(t, s, bonus);
        s = after;
    }
}

int main(int argc, char **argv) {
    long K = argc > 1 ? atol(argv[1]) : 1000000;
    double bonus = 4 * sqrt(T * T * A * log(2.0 * N * S * A * K * T / P));
    for (int t = 0; t < T; t++)
        for (int s = 0; s < S; s++) {
            length[t][s] = T;
            reset(t, s);
            for (int i = 0; i < N; i++) v_bar[t][s][i] = T - t;
        }
    for (int j = 0; j < 12; j++) uniform();
    struct timespec begun, ended;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    for (long k = 0; k < K; k++) episode(bonus);
    clock_gettime(CLOCK_MONOTONIC, &ended);
    double seconds = (ended.tv_sec - begun.tv_sec) + 1e-9 * (ended.tv_nsec - begun.tv_nsec);
    printf("%.1f %.6f\n", K / seconds, earned[0] / K);
    return 0;
}
