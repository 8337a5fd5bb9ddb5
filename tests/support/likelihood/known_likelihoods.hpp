// Likelihoods of the alignments in data/, bit by bit: they stay the same on every machine, and from version to version.
#pragma once

#include <array>
#include <cstdint>

namespace regraft::test {

/// A short tree with lengths that are exact in binary, the shortest 2^-20; labels are the numbers of rows.
struct KnownTree {
    char const* alignment;
    char const* newick;
};

inline constexpr std::array known_trees{
    KnownTree{
        "primates.phy",
        "(0:0.0078125,1:0.0625,(((((2:0.1171875,(3:9.5367431640625e-07,4:0.2265625):9.5367431640625e-07):0.1796875,"
        "5:0.0390625):0.078125,6:0.09375):0.2109375,(((7:0.1484375,8:0.203125):0.0859375,9:0.015625):0.140625,"
        "10:0.0703125):0.15625):0.1015625,11:0.125):0.1875);"},
    KnownTree{"vertebrates.phy",
              "(0:0.0078125,(1:0.0625,2:0.1171875):0.125,(3:9.5367431640625e-07,((4:0.2265625,((5:0.0390625,6:0.09375):"
              "0.0625,(7:0.1484375,8:0.203125):0.1875):0.2265625):0.140625,((((9:0.015625,(11:0.125,12:0.1796875):"
              "0.2109375):0.0234375,10:0.0703125):0.078125,(13:0.234375,14:9.5367431640625e-07):0.0546875):0.2421875,"
              "(15:0.1015625,16:0.15625):0.1875):0.1328125):0.1953125):0.203125);"},
    KnownTree{"globins.phy",
              "(0:0.0078125,1:0.0625,((2:0.1171875,3:9.5367431640625e-07):0.234375,((4:0.2265625,6:0.09375):0.015625,"
              "5:0.0390625):0.203125):0.1796875);"},
    KnownTree{
        "elongation.phy",
        "(0:0.0078125,1:0.0625,(2:0.1171875,(((3:9.5367431640625e-07,(4:0.2265625,5:0.0390625):0.09375):0.2265625,"
        "(((6:0.09375,7:0.1484375):0.015625,8:0.203125):0.125,(9:0.015625,10:0.0703125):0.1796875):0.171875):"
        "0.0625,((((11:0.125,12:0.1796875):9.5367431640625e-07,13:0.234375):0.03125,((((14:9.5367431640625e-07,"
        "15:0.1015625):0.140625,16:0.15625):0.1953125,17:0.2109375):0.0546875,18:0.0234375):9.5367431640625e-07):"
        "0.109375,((19:0.078125,20:0.1328125):0.1015625,21:0.1875):0.2421875):0.0546875):0.0078125):0.0625);"},
};

/// All parameters are in the model's name. Gamma rates are not used, because they are approximations of their own.
struct KnownLikelihood {
    char const* alignment;
    char const* model;  // or several models, of partitions to which the patterns go in turn
    double loglh;       // at the edge of row 0
    std::int64_t low;   // of its sum: tells of the last bit of any pattern
    double first;       // derivatives there, at length 0.1
    double second;
};

inline constexpr std::array known_likelihoods{
    KnownLikelihood{"primates.phy", "JC", -0x1.c44030fd738a9p+12, 106608372551254016, 0x1.259dcb367de0ap+9,
                    -0x1.51185ee45a74fp+13},
    KnownLikelihood{"primates.phy", "K80{1/4.5}+R2{0.3/2}{0.6/0.4}", -0x1.9c0d8d500657ap+12, -106114966708289536,
                    0x1.8917c28ffae39p+9, -0x1.454127ad3cc4bp+13},
    KnownLikelihood{"primates.phy", "HKY{1/3.2}+FU{0.31/0.19/0.12/0.38}+I{0.25}", -0x1.9cf4eb68741aep+12,
                    50909587389284352, 0x1.7e5a3ef0e4b26p+9, -0x1.432215d86024p+13},
    KnownLikelihood{"primates.phy",
                    "GTR{0.7/3.1/0.2/1.9/5.5/1}+FU{0.15/0.3/0.05/0.5}+I{0.1}+R4{0.05/0.4/1.1/3.2}{0.3/0.3/0.25/0.15}",
                    -0x1.aa43ca14f51e2p+12, -22823662369374208, 0x1.b9ed65f2f987ap+9, -0x1.4110d2c034076p+13},
    KnownLikelihood{"primates.phy", "GTR{0.7/3.1/0.2/1.9/5.5/1}+FE+R4{0.05/0.4/1.1/3.2}{0.3/0.3/0.25/0.15}",
                    -0x1.a142fedd514f6p+12, 5346100412153856, 0x1.b7ff31cceda39p+9, -0x1.46d532ec5b7e5p+13},
    KnownLikelihood{"vertebrates.phy", "JC", -0x1.934649cefd2e1p+14, -181501881955123200, 0x1.e5c37d16fd52cp+5,
                    -0x1.857df6ded711bp+13},
    KnownLikelihood{"vertebrates.phy", "K80{1/4.5}+R2{0.3/2}{0.6/0.4}", -0x1.7412606b0277fp+14, 232260011617681408,
                    0x1.454089a9fb795p+8, -0x1.429cacb467611p+13},
    KnownLikelihood{"vertebrates.phy", "HKY{1/3.2}+FU{0.31/0.19/0.12/0.38}+I{0.25}", -0x1.7375ebf856c75p+14,
                    87091491402416128, 0x1.fbe214b7149dcp+7, -0x1.4a2ead6edb054p+13},
    KnownLikelihood{"vertebrates.phy",
                    "GTR{0.7/3.1/0.2/1.9/5.5/1}+FU{0.15/0.3/0.05/0.5}+I{0.1}+R4{0.05/0.4/1.1/3.2}{0.3/0.3/0.25/0.15}",
                    -0x1.8aedf0443391dp+14, 77313946813464576, 0x1.dc8b9ac294f2ap+8, -0x1.38a8e395ba62ap+13},
    KnownLikelihood{"vertebrates.phy", "GTR{0.7/3.1/0.2/1.9/5.5/1}+FE+R4{0.05/0.4/1.1/3.2}{0.3/0.3/0.25/0.15}",
                    -0x1.7a58ebb2c9696p+14, 8779875225698304, 0x1.8397b0ba484e3p+8, -0x1.28d14c51b7799p+13},
    KnownLikelihood{"globins.phy", "LG", -0x1.fd436049016c1p+10, 8281521580408832, -0x1.45e9350137602p+3,
                    -0x1.617c6cb5be75ep+9},
    KnownLikelihood{"globins.phy", "WAG+R4{0.05/0.4/1.1/3.2}{0.3/0.3/0.25/0.15}", -0x1.e6b0c76a1fed4p+10,
                    3407386534477824, -0x1.0c2e4bddf6ce8p+7, -0x1.d7e05bb4ebc0cp+8},
    KnownLikelihood{"globins.phy", "JTT+FE+I{0.15}+R3{0.2/1/3}{0.5/0.3/0.2}", -0x1.f9f2fa44d7d5ap+10, -5500856673763328,
                    -0x1.3295b140c0ebdp+7, -0x1.c3f9b75d909fcp+8},
    KnownLikelihood{"globins.phy", "LG4X+R4{0.2/0.7/1.2/2.4}{0.2/0.3/0.3/0.2}", -0x1.ecaaa280d3be4p+10,
                    -182518930210816, -0x1.3faff3c23a2bep+6, -0x1.2f64421a87ae1p+9},
    KnownLikelihood{"elongation.phy", "LG", -0x1.58254061a3dfep+14, 2503862854352896, 0x1.d589124295b5bp+7,
                    -0x1.1ee735bc64d74p+12},
    KnownLikelihood{"elongation.phy", "WAG+R4{0.05/0.4/1.1/3.2}{0.3/0.3/0.25/0.15}", -0x1.51248b51ee996p+14,
                    -383179802279936, 0x1.fa930cff200b6p+4, -0x1.021dc7318de4bp+12},
    KnownLikelihood{"elongation.phy", "JTT+FE+I{0.15}+R3{0.2/1/3}{0.5/0.3/0.2}", -0x1.5ad8d97486fcdp+14,
                    -4306512168091648, 0x1.ee55d96fd0f1cp+3, -0x1.01bcaef8d0de3p+12},
    KnownLikelihood{"elongation.phy", "LG4X+R4{0.2/0.7/1.2/2.4}{0.2/0.3/0.3/0.2}", -0x1.511da478e23f6p+14,
                    -4013217441382400, 0x1.abb47db1658d7p+6, -0x1.085634b3936a6p+12},
    KnownLikelihood{"primates.phy", "BIN+FU{0.35/0.65}+I{0.2}+R3{0.2/1/3}{0.5/0.3/0.2}", -0x1.501379dce5591p+11,
                    18496259480354816, 0x1.78c5e066ef3ap+8, -0x1.29c4cf9eb96edp+12},
    KnownLikelihood{"vertebrates.phy", "BIN+FE", -0x1.963edc3bf9b12p+13, 406801710091075584, -0x1.bc3d97f3c6dbbp+9,
                    -0x1.7a57917273004p+11},
    KnownLikelihood{"globins.phy", "MULTI3_MK", -0x1.925aae55ec216p+9, -6174857301590016, -0x1.60052fabfd498p+5,
                    -0x1.03f22e9b13d96p+9},
    KnownLikelihood{"elongation.phy", "MULTI6_MK+I{0.1}+R2{0.3/2}{0.6/0.4}", -0x1.e8193bc37e2f5p+13, -21436765889888256,
                    0x1.4754229055be9p+4, -0x1.c9ff9ec2d365ap+11},
    KnownLikelihood{"elongation.phy", "MULTI13_MK+R3{0.2/1/3}{0.5/0.3/0.2}", -0x1.40c4d8b5cd41dp+14, 22353346270593024,
                    0x1.ab0fa3719ca4dp+3, -0x1.e51da2f964a9fp+11},
    KnownLikelihood{"vertebrates.phy",
                    "GTR{0.7/3.1/0.2/1.9/5.5/1}+FU{0.15/0.3/0.05/0.5}, K80{1/4.5}+I{0.25}, BIN+FE+R2{0.3/2}{0.6/0.4}",
                    -0x1.4019e831ec9fbp+14, -165773917875601408, 0x1.41e7678b34bddp+8, -0x1.1951f19d056e1p+13},
    KnownLikelihood{"elongation.phy", "LG, MULTI20_MK+R2{0.3/2}{0.6/0.4}, LG4X+R4{0.2/0.7/1.2/2.4}{0.2/0.3/0.3/0.2}",
                    -0x1.5b7664a77652ep+14, -6390636458541056, 0x1.111793ada00fp+7, -0x1.1a184a594f84bp+12},
};

}  // namespace regraft::test
