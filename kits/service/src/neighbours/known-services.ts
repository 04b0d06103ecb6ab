/** A Hearth service as the others find it. */
export interface KnownService {
  readonly name: ServiceName
  /** Port it listens on unless the settings say otherwise. */
  readonly port: number
  /** Path of its health answer, which needs no sign-in. */
  readonly health: string
  /** Path that answers 503 while it cannot do its work; services without one are ready when they answer. */
  readonly ready?: string
}

/** Names of the Hearth services. */
export const serviceNames = ['vpn', 'inverter', 'media', 'sites'] as const

/** Name of a Hearth service. */
export type ServiceName = (typeof serviceNames)[number]

/** Every Hearth service. */
export const knownServices: readonly KnownService[] = [
  { name: 'vpn', port: 8101, health: '/health' },
  { name: 'inverter', port: 8102, health: '/health' },
  { name: 'media', port: 8103, health: '/health' },
  { name: 'sites', port: 8104, health: '/api/v1/health', ready: '/api/v1/ready' },
]

/** Header of a health answer that names the service. */
export const serviceHeader = 'hearth-service'

/** Header of a health answer of the sites service that names the address of its portal. */
export const portalHeader = 'hearth-portal'
