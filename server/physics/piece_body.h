// A piece inside Bullet: a convex hull for each part, in a compound if there are several, in the
// frame of the piece's principal axes, since Bullet takes moments of inertia and no tensor. Private
// to server/physics.
#pragma once

#include <memory>
#include <vector>

#include "server/physics/bullet.h"
#include "shared/shape/piece_shape.h"

namespace terrane {

struct PieceBody {
    PieceShape shape;
    std::size_t largest = 0;  ///< part, by its box
    std::vector<std::unique_ptr<btConvexHullShape>> hulls;
    std::unique_ptr<btCompoundShape> compound;  ///< null: one part

    btCollisionShape* bullet_shape() const {
        return compound != nullptr ? static_cast<btCollisionShape*>(compound.get())
                                   : hulls.front().get();
    }
};

/// nullptr if the piece is not valid.
std::unique_ptr<PieceBody> make_piece_body(const PieceShape& piece);

}  // namespace terrane
