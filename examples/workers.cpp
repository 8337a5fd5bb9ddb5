// A master deals rows of a picture of the Mandelbrot set to workers, which send them back. Rows of workers that die are
// dealt again; when the master dies, another one takes over with what the workers have drawn.
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "program.hpp"
#include "regraft/core/clock.hpp"
#include "regraft/core/random.hpp"
#include "regraft/ft/collectives.hpp"
#include "regraft/ft/derived.hpp"
#include "regraft/ft/resilient.hpp"

using namespace regraft;

namespace {

using Number = std::uint32_t;
using Row = std::vector<Number>;     // of numbers of iterations
using Rows = std::map<Number, Row>;  // that are drawn

constexpr Number none = std::numeric_limits<Number>::max();  // instead of a row: there is nothing (more) to send

ft::FailPoint deal_point("deal");
ft::FailPoint draw_point("draw");

/// Row `number` of a picture of size times size points around the set; the seed moves it a little. Rows take very
/// different times.
Row draw(Number number, example::Options const& options) {
    Random random(options.seed);
    double const left = -2.1 + 0.1 * random.unit();
    double const top = -1.3 + 0.1 * random.unit();
    double const width = 2.5 / static_cast<double>(options.size);
    Row row;
    for (Number column = 0; column < options.size; ++column) {
        double const a = left + width * column;
        double const b = top + width * number;
        Number count = 0;
        for (double x = 0, y = 0; count < options.steps && x * x + y * y < 4; ++count) {
            double const next = x * x - y * y + a;
            y = 2 * x * y + b;
            x = next;
        }
        row.push_back(count);
    }
    return row;
}

/// The two kinds of messages: which row is meant, and its points, if there are any.
void send(ft::Communicator& comm, MPI_Comm talk, int to, Number number, Row const& row) {
    Row message{number};
    message.insert(message.end(), row.begin(), row.end());
    comm.check(MPI_Send(message.data(), static_cast<int>(message.size()), MPI_UINT32_T, to, 0, talk), "MPI_Send");
}

struct Message {
    int from;
    Number number;
    Row row;
};
Message receive(ft::Communicator& comm, MPI_Comm talk, int from, std::uint64_t most_points) {
    Row numbers(1 + most_points);
    MPI_Status status;
    comm.check(
        MPI_Recv(numbers.data(), static_cast<int>(numbers.size()), MPI_UINT32_T, from, MPI_ANY_TAG, talk, &status),
        "MPI_Recv");
    int count = 0;
    MPI_Get_count(&status, MPI_UINT32_T, &count);
    return {status.MPI_SOURCE, numbers[0], {numbers.begin() + 1, numbers.begin() + count}};
}

/// Deals the missing rows, one at a time to each rank that asks, until all are there.
void lead(ft::Communicator& comm, MPI_Comm talk, Rows& rows, std::uint64_t size) {
    Number next = 0;
    for (auto working = comm.size() - 1; working > 0;) {
        auto message = receive(comm, talk, MPI_ANY_SOURCE, size);
        if (message.number != none) rows[message.number] = std::move(message.row);
        while (next < size && rows.contains(next)) ++next;
        comm.reach(deal_point);
        send(comm, talk, message.from, next < size ? next : none, {});
        if (next++ >= size) --working;
    }
}

/// Asks for rows, draws them and sends them back, until there are no more.
void work(ft::Communicator& comm, MPI_Comm talk, Rows& rows, example::Options const& options) {
    constexpr int leader = 0;  // the first of the living ranks
    send(comm, talk, leader, none, {});
    for (;;) {
        auto const number = receive(comm, talk, leader, 0).number;
        if (number == none) return;
        comm.reach(draw_point);
        auto const& row = rows[number] = draw(number, options);
        send(comm, talk, leader, number, row);
    }
}

/// Adds to the rows of the leader those that the others had drawn before a rank died.
void collect(ft::Communicator& comm, Rows& rows) {
    ByteWriter mine;
    for (auto const& [number, row] : rows) {
        mine.put(number);
        mine.put_all(std::span(row));
    }
    auto const everybodys = ft::gather(comm, mine.bytes(), comm.members().front());
    for (ByteReader reader(everybodys.values); !reader.empty();) {
        auto const number = reader.get<Number>();
        rows[number] = reader.get_all<Number>();
    }
}

void draw_picture(ft::Communicator& comm, example::Options const& options) {
    std::optional<ft::Derived> talk;  // messages on it do not meet those of the library
    Rows rows;                        // of the leader: all that are drawn; of the others: those that they have drawn

    auto const compute = [&] {
        if (!talk) talk.emplace(comm, [](MPI_Comm from, MPI_Comm* made) { return MPI_Comm_dup(from, made); });
        auto const begin = std::chrono::steady_clock::now();
        collect(comm, rows);
        auto const drawn = rows.size();
        if (comm.size() == 1) {
            for (Number i = 0; i < options.size; ++i) {
                if (!rows.contains(i)) rows[i] = draw(i, options);
            }
        } else if (comm.leads()) {
            lead(comm, talk->native(), rows, options.size);
        } else {
            work(comm, talk->native(), rows, options);
        }
        ByteWriter picture;
        for (auto const& [number, row] : rows) picture.put_all(std::span(row));
        example::print_steps(comm, rows.size() - drawn, milliseconds_since(begin));
        example::print_result(comm, hash(picture.bytes()));
    };
    auto const recover = [&](ft::Failure const& failure) { example::print_recovery(comm, failure); };
    ft::resilient(comm, compute, recover);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("workers: a picture that a master lets workers draw, all of which may die");
    example::Options options{.steps = 5000, .size = 400};
    example::add_options(app, options, "iterations of a point, at most", "rows and columns of the picture");
    app.get_option("--steps")->check(CLI::Range(1, 1'000'000'000));
    app.get_option("--size")->check(CLI::Range(1, 20'000));
    return example::run(argc, argv, app, options, [&](ft::Communicator& comm) { draw_picture(comm, options); });
}
