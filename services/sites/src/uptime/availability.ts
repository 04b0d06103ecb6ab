/** Confirmed state of a subject, and the checks in a row that speak against it. */
export interface Availability {
  readonly state: 'unknown' | 'up' | 'down'
  readonly against: number
}

/** Nothing is known: after a start, and after maintenance. */
export const unknownAvailability: Availability = { state: 'unknown', against: 0 }

/** Good checks in a row after which a subject that was down is up again. */
export const recoveries = 2

/** Returns the availability after a check; `failures` checks in a row must fail before the subject is down. */
export function nextAvailability({ state, against }: Availability, isGood: boolean, failures: number): Availability {
  const isAgainst = state === 'down' ? isGood : !isGood
  if (!isAgainst) return { state: isGood ? 'up' : 'down', against: 0 }
  const needed = state === 'down' ? recoveries : failures
  if (against + 1 < needed) return { state, against: against + 1 }
  return { state: isGood ? 'up' : 'down', against: 0 }
}
