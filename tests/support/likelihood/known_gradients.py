#!/usr/bin/env python3
"""Prints known_gradients.hpp: derivatives of log-likelihoods by branch lengths, from differences of likelihoods that
are computed with 60 digits (mpmath), by summing over all states at all inner nodes' children, with matrix
exponentials. Shares no code with the library."""

from mpmath import expm, log, matrix, mp, mpf

mp.dps = 60

DNA = {'A': 1, 'C': 2, 'G': 4, 'T': 8, 'R': 5, 'Y': 10, 'K': 12, 'N': 15, '-': 15}
FIVE = {'0': 1, '1': 2, '2': 4, '3': 8, '4': 16, '-': 31}

# A case: model as the library reads it; symbols; exchangeabilities; frequencies; share of invariable sites; rates;
# weights; a tree, and what its tips show at some sites.
CASES = [
    ('GTR{0.8/2.5/0.6/1.3/3.1/1}+FU{0.3/0.15/0.2/0.35}+I{0.2}+R3{0.2/0.9/3.5}{0.5/0.3/0.2}', DNA,
     ['0.8', '2.5', '0.6', '1.3', '3.1', '1'], ['0.3', '0.15', '0.2', '0.35'], '0.2', ['0.2', '0.9', '3.5'],
     ['0.5', '0.3', '0.2'],
     '(a:0.11,(b:0.07,(c:0.31,d:0.002):0.05):0.23,(e:0.4,f:0.015):0.09)',
     {'a': 'AACGTTARAC', 'b': 'AACGTCARAC', 'c': 'AACGTCGYTC', 'd': 'AACGTCG-TC', 'e': 'ACCTTAGNTK', 'f': 'ACCTTATNGG'}),
    ('HKY{1/5.5}+FU{0.1/0.4/0.3/0.2}', DNA, ['1', '5.5', '1', '1', '5.5', '1'], ['0.1', '0.4', '0.3', '0.2'], '0',
     ['1'], ['1'],
     '(a:0.000001,(b:5,c:0.00002):1.5,d:0.3)',
     {'a': 'ACGTACGTN', 'b': 'ACGTCCGAC', 'c': 'ACGTCATAC', 'd': 'ACGAACTT-'}),
    ('MULTI5_GTR{1/2/0.5/0.7/3/1.1/0.2/0.9/1.7/1}+FU{0.1/0.3/0.2/0.15/0.25}+R2{0.3/1.7}{0.6/0.4}', FIVE,
     ['1', '2', '0.5', '0.7', '3', '1.1', '0.2', '0.9', '1.7', '1'], ['0.1', '0.3', '0.2', '0.15', '0.25'], '0',
     ['0.3', '1.7'], ['0.6', '0.4'],
     '(a:0.2,b:0.6,((c:0.01,d:0.33):0.12,e:0.8):0.07)',
     {'a': '00112234', 'b': '00213204', 'c': '0121320-', 'd': '01213244', 'e': '04213-40'}),
]
STEP = mpf(10)**-15


def parse(text):
    """The nested (children or name, length) of a Newick text."""
    if text.startswith('('):
        depth, start, children = 0, 1, []
        for i, c in enumerate(text):
            depth += (c == '(') - (c == ')')
            if depth == 1 and c == ',' or depth == 0:
                children.append(parse(text[start:i]))
                start = i + 1
            if depth == 0:
                break
        rest, what = text[start:], children
    else:
        what, _, rest = text.partition(':')
    return [what, mpf(rest.lstrip(':') or 0)]


def rate_matrix(rates, frequencies):
    n = len(frequencies)
    q, rates = matrix(n), iter(rates)
    for i in range(n):
        for j in range(i + 1, n):
            rate = next(rates)
            q[i, j], q[j, i] = rate * frequencies[j], rate * frequencies[i]
    for i in range(n):
        q[i, i] = -sum(q[i, j] for j in range(n))
    return q / -sum(frequencies[i] * q[i, i] for i in range(n))


class Case:
    def __init__(self, model, symbols, rates, frequencies, invariant, site_rates, weights, tree, rows):
        self.model, self.symbols, self.newick, self.rows = model, symbols, tree, rows
        self.frequencies = [mpf(f) for f in frequencies]
        self.q = rate_matrix([mpf(r) for r in rates], self.frequencies)
        self.invariant = mpf(invariant)
        total = sum(map(mpf, weights))
        self.weights = [mpf(w) / total * (1 - self.invariant) for w in weights]
        mean = sum(w * mpf(r) for w, r in zip(self.weights, site_rates))
        self.site_rates = [mpf(r) / mean for r in site_rates]
        self.tree = parse(tree)
        self.known = {}

    def transition(self, t):
        if t not in self.known:
            self.known[t] = expm(self.q * t)
        return self.known[t]

    def conditional(self, node, site, rate):
        what, _ = node
        n = len(self.frequencies)
        if isinstance(what, str):
            mask = self.symbols[self.rows[what][site]]
            return [mpf(mask >> i & 1) for i in range(n)]
        product = [mpf(1)] * n
        for child in what:
            p, below = self.transition(rate * child[1]), self.conditional(child, site, rate)
            product = [product[i] * sum(p[i, j] * below[j] for j in range(n)) for i in range(n)]
        return product

    def loglh(self):
        total = mpf(0)
        for site in range(len(self.rows['a'])):
            common = ~0
            for row in self.rows.values():
                common &= self.symbols[row[site]]
            value = self.invariant * sum(f for i, f in enumerate(self.frequencies) if common >> i & 1)
            for rate, weight in zip(self.site_rates, self.weights):
                root = self.conditional(self.tree, site, rate)
                value += weight * sum(f * x for f, x in zip(self.frequencies, root))
            total += log(value)
        return total

    def edges(self):
        """The pairs (names of the tips below, node) of all edges."""
        found = []

        def visit(node):
            names = [node[0]] if isinstance(node[0], str) else [name for child in node[0] for name in visit(child)]
            found.append((names, node))
            return names

        visit(self.tree)
        return found[:-1]

    def derivatives(self, node):
        length, middle = node[1], self.loglh()
        node[1] = length + STEP
        above = self.loglh()
        node[1] = length - STEP
        below = self.loglh()
        node[1] = length
        return (above - below) / (2 * STEP), (above - 2 * middle + below) / STEP**2


def main():
    print('// Made by known_gradients.py.\n#pragma once\n\n#include <cstdint>\n#include <string>\n#include <vector>\n')
    print('namespace regraft::test {\n')
    print('/// An edge by the tips on the side without tip 0, and the derivatives by its length.')
    print('struct KnownDerivatives {\n    std::uint32_t tips;\n    double first;\n    double second;\n};\n')
    print('struct KnownGradient {\n    std::string model;\n    std::string newick;\n    std::vector<std::string> rows;')
    print('    double loglh;\n    std::vector<KnownDerivatives> edges;\n};\n')
    print('inline std::vector<KnownGradient> const known_gradients{')
    for case in (Case(*words) for words in CASES):
        names = sorted(case.rows)
        rows = ', '.join(f'"{case.rows[name]}"' for name in names)
        print(f'    {{"{case.model}",\n     "{case.newick};",\n     {{{rows}}},\n     {mp.nstr(case.loglh(), 20)},\n     {{')
        for tips, node in case.edges():
            mask = sum(1 << names.index(name) for name in tips)
            if mask & 1:
                mask = (1 << len(names)) - 1 - mask
            first, second = case.derivatives(node)
            print(f'         {{{mask}, {mp.nstr(first, 20)}, {mp.nstr(second, 20)}}},')
        print('     }},')
    print('};\n\n}  // namespace regraft::test')


main()
