/** Result of one check of `hearth doctor`, and what it means for the person who runs the service. */
export interface DoctorCheck {
  readonly name: string
  readonly state: 'ok' | 'missing' | 'degraded'
  /** The finding: a version, a path, a reason. */
  readonly detail: string
  /** Consequence: which features work or do not work because of it. */
  readonly meaning: string
}
