/** One thing `hearth doctor` looked at, and what its state means for the person who runs the service. */
export interface DoctorFact {
  readonly name: string
  readonly state: 'ok' | 'missing' | 'degraded'
  /** What was found: a version, a path, a reason. */
  readonly detail: string
  /** What works or does not work because of it. */
  readonly meaning: string
}
