// Assertions for a programmer's mistakes. TERRANE_ASSERT stays on in release builds: a zone that
// would go on with a broken world stops instead, with the place and the condition on stderr.
// TERRANE_DEBUG_ASSERT is for hot loops and is on in debug builds only.
// Bytes from the wire, the disk or a configuration file are never asserted: see result.h.
#pragma once

namespace terrane {

/// Prints "file:line: assertion failed: condition (note)" to stderr and aborts.
[[noreturn]] void assertion_failed(const char* file, int line, const char* condition,
                                   const char* note);

}  // namespace terrane

#define TERRANE_ASSERT(condition)                                                     \
    (static_cast<bool>(condition)                                                     \
         ? static_cast<void>(0)                                                       \
         : ::terrane::assertion_failed(__FILE__, __LINE__, #condition, ""))

#define TERRANE_ASSERT_MSG(condition, note)                                           \
    (static_cast<bool>(condition)                                                     \
         ? static_cast<void>(0)                                                       \
         : ::terrane::assertion_failed(__FILE__, __LINE__, #condition, note))

#ifdef TERRANE_DEBUG
#define TERRANE_DEBUG_ASSERT(condition) TERRANE_ASSERT(condition)
#else
#define TERRANE_DEBUG_ASSERT(condition) static_cast<void>(0)
#endif
