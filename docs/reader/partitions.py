"""Partitions: names and models of sets of sites. docs/alignments/file-format.md, Partitions."""
from bits import require
from lines import is_printable, read_lines


def read_partitions(section, num_sites):
    """Triples for the partitions: model, name, and strides, which are ranges of sites with a step."""
    if not section.data:
        return []
    _way, words = read_lines(section.section())
    require(len(words) % 2 == 0 and all(words) and all(map(is_printable, words)), "models and names of partitions")
    require(len(set(words[1::2])) == len(words[1::2]), "names of partitions are distinct")
    partitions = []
    for model, name in zip(words[::2], words[1::2]):
        strides = [(section.number(), section.number(), section.number()) for _ in range(section.number())]
        partitions.append((model, name, [range(first, first + length, step) for first, length, step in strides]))
    section.end()
    sites = sorted(site for _, _, strides in partitions for stride in strides for site in stride)
    require(sites == list(range(num_sites)), "partitions have each site once")
    return partitions
