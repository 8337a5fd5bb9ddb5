// A collective of the program, carried out so that all survivors see the same outcome of it.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

#include "shield/engine/collection.hpp"
#include "shield/engine/operation.hpp"
#include "shield/engine/shield.hpp"
#include "shield/protocol/call.hpp"

namespace regraft::shield {

constexpr int no_root = -1;

/// An operation whose functions are called by pointers: what carries it out is compiled once, not for each collective.
class AnyOperation {
public:
    AnyOperation(AnyOperation const&) = delete;
    AnyOperation& operator=(AnyOperation const&) = delete;

    virtual int attempt(MPI_Comm comm) = 0;
    virtual void pack(std::vector<std::byte>& bytes) = 0;
    virtual void unpack(std::span<std::byte const> bytes) = 0;
    virtual void skip() = 0;
    /// Only for an operation to a root.
    virtual std::size_t bytes(int rank) = 0;
    virtual void combine(Inputs const& inputs) = 0;

    bool const is_to_root;

protected:
    explicit AnyOperation(bool to_root) : is_to_root(to_root) {}
    ~AnyOperation() = default;
};

/// The functions of an Operation or OperationToRoot, which must outlive this.
template <class Functions>
class Called final : public AnyOperation {
    static constexpr bool has_root = requires(Functions const& functions) { functions.combine; };

public:
    explicit Called(Functions const& functions) : AnyOperation(has_root), functions_(functions) {}

    int attempt(MPI_Comm comm) override { return functions_.attempt(comm); }
    void pack(std::vector<std::byte>& bytes) override { functions_.pack(bytes); }
    void unpack(std::span<std::byte const> bytes) override {
        if constexpr (!has_root) functions_.unpack(bytes);
    }
    void skip() override { functions_.skip(); }
    std::size_t bytes(int rank) override {
        if constexpr (has_root)
            return functions_.bytes(rank);
        else
            return 0;
    }
    void combine(Inputs const& inputs) override {
        if constexpr (has_root) functions_.combine(inputs);
    }

private:
    Functions const& functions_;
};

/// Carries out a collective. root: its rank, or no_root. Returns MPI_SUCCESS, or the code with which an attempt failed
/// without any death; the operation has an outcome if this process has taken part. Collective over the members of the
/// lane, uniform among survivors.
int collective(Shield& shield, Lane& lane, Traits traits, int root, AnyOperation& operation);

}  // namespace regraft::shield
