package hw

import "time"

// SetAnswerTime sets how long a child may take to say that it is one.
func SetAnswerTime(d time.Duration) { answerTime = d }
