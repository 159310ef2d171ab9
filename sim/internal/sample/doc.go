// Package sample estimates sums over many pieces of work of which only some were measured, and says how far off the estimates
// may be.
//
// What is measured of a piece is a vector: how much each counter grew. The pieces of a stratum resemble each other: a vector
// is proportional to the work of its piece, or a linear function of it. The error is found by the jackknife over random groups
// (Wolter, Introduction to Variance Estimation, chapter 4): each measured piece belongs to one of Groups groups, and the estimate
// is made again without each group. So every quantity that is computed from the vectors, ratios too, has an interval, and the
// deviations of strata add up, group by group.
package sample
