// The protocol's version and every limit on what may cross the wire. Whatever exceeds a limit is
// refused, counted, and ends the session with a reason; nothing is trusted because it verified.
#pragma once

#include <cstddef>
#include <cstdint>

namespace terrane {

inline constexpr std::uint32_t kProtocolVersion = 3;
inline constexpr std::uint8_t kBrushVersion = 1;

/// FlatBuffers verifier: its defaults let a 1.2 KB message burn 50 ms.
inline constexpr unsigned kVerifierDepthMax = 8;
inline constexpr unsigned kVerifierTablesMax = 512;

inline constexpr std::size_t kToServerBytesMax = 64 * 1024;
inline constexpr std::size_t kToServerBytesBeforeWelcomeMax = 4 * 1024;
inline constexpr std::size_t kToClientBytesMax = 80 * 1024;
/// Limits count the message; the prefix of kFramePrefixBytes comes on top.
inline constexpr std::size_t kFramePrefixBytes = 4;
/// Root offset and file identifier.
inline constexpr std::size_t kMessageBytesMin = 8;

inline constexpr std::size_t kNameBytesMax = 24;
inline constexpr std::size_t kVersionTextBytesMax = 64;
inline constexpr std::size_t kEditsPerInputMax = 16;
inline constexpr std::size_t kHashRequestChunksMax = 256;
inline constexpr std::uint8_t kViewChunksMax = 12;
/// Nodes in one State, and nodes that a session can see.
inline constexpr std::size_t kNodesPerStateMax = 2048;
/// Tables in one State are few: enters are tables and count against kVerifierTablesMax.
inline constexpr std::size_t kEntersPerStateMax = 256;
inline constexpr std::size_t kOpsPerMessageMax = 512;
inline constexpr std::size_t kMaterialsMax = 256;
/// With kMaterialsMax and the two tables around them below kVerifierTablesMax.
inline constexpr std::size_t kKindsMax = 128;
inline constexpr std::size_t kForgetChunksMax = 4096;
inline constexpr std::size_t kLeaveTextBytesMax = 256;
/// Of one line of chat.
inline constexpr std::size_t kChatBytesMax = 256;
inline constexpr std::size_t kSeatsPerKindMax = 16;
/// Of one ChunkRuns: kRunsPerOpMax (shared/voxel/voxel_run.h).
inline constexpr std::size_t kVoxelRunsMax = 4096;
/// Of one Piece: voxels that are not air, and its bytes (shared/voxel/voxel_piece.h).
inline constexpr std::size_t kPieceVoxelsMax = 4096;
inline constexpr std::size_t kPieceBytesMax = 64 * 1024;
/// In one DebugContacts, of each kind; how far around the player, and how often.
inline constexpr std::size_t kDebugPointsMax = 1024;
inline constexpr float kDebugAroundM = 32.0F;
inline constexpr std::uint32_t kDebugTicks = 4;
/// NodeSeat.parent_slot of a node that stands up.
inline constexpr std::uint16_t kNoParentSlot = 65535;
inline constexpr float kDayLengthMaxS = 1.0e6F;
inline constexpr float kDensityMaxKgM3 = 50000.0F;
inline constexpr float kMassMaxKg = 1.0e9F;
/// Longer names cannot be a mistake; from kNameBytesMax to here the answer is `bad_name`.
inline constexpr std::size_t kHelloNameBytesMax = 64;

/// Of a zone, chunks; twice the largest that config/zone.toml allows.
inline constexpr std::int32_t kBoundsSideMax = 512;
inline constexpr std::int32_t kBoundsHeightMax = 64;
inline constexpr std::uint32_t kSubstepsPerSecondMax = 240;
/// Metres from the origin on each axis: twice the largest zone's half side, and 1/256 m is exact in
/// a float up to here.
inline constexpr float kPositionMaxM = 16384.0F;
inline constexpr float kSpeedMaxMps = 10000.0F;
/// Chunk coordinates on each axis: chunk * 32 voxels * 16 brush units stays inside 32 bits.
inline constexpr std::int32_t kChunkCoordMax = 1 << 16;

}  // namespace terrane
