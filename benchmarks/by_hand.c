/* The functions of functions.py, everyday.py and unseen.py as somebody writes them in C, called as ours are. */

#include <stdint.h>

static inline int32_t count_above_by_hand(const int32_t values[8], int32_t limit) {
    int32_t n = 0;
    for (int i = 0; i < 8; i++) n += values[i] > limit;
    return n;
}

static inline int32_t clamp_by_hand(int32_t x, int32_t low, int32_t high) {
    return x < low ? low : x > high ? high : x;
}

static inline int32_t parity_by_hand(const int32_t bits[8]) {
    int32_t odd = 0;
    for (int i = 0; i < 8; i++) odd ^= bits[i] != 0;
    return odd;
}

static inline int32_t checksum_by_hand(const int32_t data[8]) {
    uint8_t total = 0;
    for (int i = 0; i < 8; i++) total = (uint8_t)(total + data[i]);
    return (uint8_t)-total;
}

static inline int32_t is_leap_by_hand(int32_t century, int32_t year) {
    return year % 4 == 0 && (year != 0 || century % 4 == 0);
}

static inline int32_t grade_by_hand(int32_t points, int32_t passed) {
    if (points < passed) return 5;
    if (points < 60) return 4;
    if (points < 75) return 3;
    return points < 90 ? 2 : 1;
}

static inline int32_t two_digits_by_hand(const int32_t text[2]) {
    int32_t value = 0;
    for (int i = 0; i < 2; i++) {
        if (text[i] < '0' || text[i] > '9') return 100;
        value = value * 10 + text[i] - '0';
    }
    return value;
}

static inline int32_t position_by_hand(const int32_t table[6], int32_t wanted) {
    int low = 0, high = 6;
    while (low < high) {
        int middle = (low + high) / 2;
        if (table[middle] < wanted) low = middle + 1;
        else high = middle;
    }
    return low;
}

static inline int32_t weekday_by_hand(int32_t day, int32_t month) {
    static const int before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    return (3 + before[month - 1] + day) % 7;
}

static inline int32_t median_by_hand(int32_t a, int32_t b, int32_t c) {
    int32_t low = a < b ? a : b, high = a < b ? b : a;
    int32_t rest = high < c ? high : c;
    return low > rest ? low : rest;
}

static inline int32_t fare_by_hand(int32_t distance, int32_t age, int32_t luggage) {
    if (age < 6) return 0;
    int32_t price = 10 + (distance < 10 ? 4 * distance : 40 + 2 * (distance - 10));
    if (luggage > 20) price += luggage - 20;
    return age < 15 || age >= 65 ? price - 6 : price;
}

static inline int32_t count_bits_by_hand(int32_t flags) {
    return __builtin_popcount((unsigned)flags);
}

static inline int32_t power_by_hand(int32_t base, int32_t exponent) {
    int32_t result = 1;
    for (int i = 0; i < exponent; i++) result *= base;
    return result;
}

static inline int32_t leap_year_by_hand(int32_t year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static inline int32_t days_before_by_hand(int32_t month, int32_t leap) {
    static const int before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    return before[month - 1] + (month > 2 ? leap : 0);
}

static inline int32_t day_of_week_by_hand(int32_t year, int32_t month, int32_t day) {
    if (month < 3) month += 12, year--;
    return (day + 13 * (month + 1) / 5 + year + year / 4 - year / 100 + year / 400 + 6) % 7;
}

static inline int32_t luhn_valid_by_hand(const int32_t digits[8]) {
    int32_t total = 0;
    for (int i = 0; i < 8; i++) {
        int32_t digit = i % 2 == 0 ? 2 * digits[i] : digits[i];
        total += digit > 9 ? digit - 9 : digit;
    }
    return total % 10 == 0;
}

static inline int32_t isbn_digit_by_hand(const int32_t digits[9]) {
    int32_t total = 0;
    for (int i = 0; i < 9; i++) total += (10 - i) * digits[i];
    return (11 - total % 11) % 11;
}

static inline int32_t gcd_by_hand(int32_t a, int32_t b) {
    while (b != 0) {
        int32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static inline int32_t power_mod_by_hand(int32_t base, int32_t exponent, int32_t modulus) {
    int32_t result = 1;
    for (base %= modulus; exponent > 0; exponent >>= 1) {
        if (exponent & 1) result = result * base % modulus;
        base = base * base % modulus;
    }
    return result;
}

static inline int32_t bit_count_by_hand(int32_t n) {
    return __builtin_popcount((unsigned)n);
}

static inline int32_t even_parity_by_hand(int32_t n) {
    return __builtin_parity((unsigned)n);
}

static inline int32_t gray_code_by_hand(int32_t n) {
    return n ^ n >> 1;
}

static inline int32_t from_gray_by_hand(int32_t code) {
    code ^= code >> 4;
    code ^= code >> 2;
    return code ^ code >> 1;
}

static inline int32_t integer_root_by_hand(int32_t n) {
    int32_t root = 0;
    while ((root + 1) * (root + 1) <= n) root++;
    return root;
}

static inline int32_t trailing_zeros_by_hand(int32_t n) {
    return n == 0 ? 8 : __builtin_ctz((unsigned)n);
}

static inline int32_t isbn13_valid_by_hand(const int32_t digits[13]) {
    int32_t total = 0;
    for (int i = 0; i < 13; i++) total += i % 2 ? 3 * digits[i] : digits[i];
    return total % 10 == 0;
}

static inline int32_t round_to_slot_by_hand(int32_t minutes, int32_t slot) {
    int32_t rest = minutes % slot;
    return 2 * rest >= slot ? minutes + slot - rest : minutes - rest;
}

static inline int32_t is_private_by_hand(const int32_t octets[4]) {
    if (octets[0] == 10) return 1;
    if (octets[0] == 172) return octets[1] >= 16 && octets[1] <= 31;
    return octets[0] == 192 && octets[1] == 168;
}

static inline int32_t tax_by_hand(int32_t thousands) {
    if (thousands <= 12) return 0;
    if (thousands <= 45) return (thousands - 12) * 20;
    if (thousands <= 90) return 660 + (thousands - 45) * 32;
    return 2100 + (thousands - 90) * 40;
}

static inline int32_t zeller_by_hand(int32_t day, int32_t month, int32_t year) {
    if (month <= 2) {
        month += 12;
        year -= 1;
    }
    int32_t century = year / 100, rest = year % 100;
    return (day + 13 * (month + 1) / 5 + rest + rest / 4 + century / 4 + 5 * century) % 7;
}

static inline int32_t utf8_length_by_hand(int32_t byte) {
    if (byte < 0x80) return 1;
    if (byte < 0xC2 || byte > 0xF4) return 0;
    return byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

static inline int32_t crc8_step_by_hand(int32_t crc, int32_t byte) {
    uint8_t rest = (uint8_t)(crc ^ byte);
    for (int i = 0; i < 8; i++) rest = (uint8_t)(rest & 0x80 ? rest << 1 ^ 0x07 : rest << 1);
    return rest;
}

static inline int32_t reversed_bits_by_hand(int32_t n) {
    n = (n & 0xF0) >> 4 | (n & 0x0F) << 4;
    n = (n & 0xCC) >> 2 | (n & 0x33) << 2;
    return (n & 0xAA) >> 1 | (n & 0x55) << 1;
}

static inline int32_t hex_value_by_hand(int32_t code) {
    if (code >= '0' && code <= '9') return code - '0';
    if (code >= 'A' && code <= 'F') return code - 'A' + 10;
    return code >= 'a' && code <= 'f' ? code - 'a' + 10 : 255;
}
