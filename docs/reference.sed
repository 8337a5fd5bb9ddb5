# Doxygen reads the headers through this script. Their comments become its documentation, and all lines keep their numbers.

# The comment at the head is about the file.
1,/^#pragma once/ {
    s#^(//|/\*| \*) #/// #
    s# \*/$##
    s|^#pragma once|/// @file|
    b
}

: line
/^#include/ b

# These full stops do not end the first sentence, which is what lists show.
s#( \.\.| al\.) #\1\\ #g

# Doxygen takes this attribute for a type.
s#^__attribute__\(\(weak\)\) ##
# Declarations that say nothing: comparisons and moves, and what cannot be called.
s#^.* operator(==|<=>)\(.*[;}].*##
s#^.*\) = delete;.*##
s#^ *([A-Za-z]+)\(\1&&( other)?\) noexcept.*##
s#^ *[A-Za-z]+& operator=\([A-Za-z]+&&( other)?\) noexcept.*##

# In C, a comment stands before what it is about, or behind it.
s#^( *)/\* #\1/** #
s#([^ ] +)/\* #\1/**< #

# In C++, a comment behind a member is about it, and so are the lines that continue the comment.
/^[^}].*[;,}] +\/\/ /! b
s#([;,}]) +// #\1 ///< #
: behind
n
s#^ {14,}// #///< #
t behind
b line
