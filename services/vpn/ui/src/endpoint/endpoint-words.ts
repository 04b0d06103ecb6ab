import type { PublicEndpoint } from '../api.ts'

/** Networks that a host can be reached from. */
export type Reach = PublicEndpoint['reach']

/** Reach of a typed host: as the service knows it, otherwise by its form. */
export function reachOf(host: string, known: readonly Pick<PublicEndpoint, 'host' | 'reach'>[]): Reach {
  const name = host.trim().toLowerCase().replace(/\.$/, '')
  const found = known.find((each) => each.host.toLowerCase() === name)
  if (found !== undefined) return found.reach
  if (/^(127\.|0\.0\.0\.0$|::1?$)|(^|\.)localhost$/.test(name)) return 'loopback'
  if (/^(10\.|192\.168\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)/.test(name))
    return 'private'
  if (name.includes(':')) return /^[23]/.test(name) ? 'public' : 'private'
  return !name.includes('.') || /\.(local|lan|home|internal|home\.arpa)$/.test(name) ? 'private' : 'public'
}

/** Returns the problem of a public endpoint; undefined when devices reach it from anywhere. */
export function endpointProblem(host: string, reach: Reach): { title: string; text: string } | undefined {
  if (reach === 'public') return undefined
  if (reach === 'loopback')
    return {
      title: `Devices cannot connect to ${host}`,
      text: 'This address points every device to itself. Use the name or address by which devices reach this host.',
    }
  return {
    title: `Devices reach ${host} from the same network only`,
    text: 'From elsewhere they need your public host name or address, with the interface’s UDP port forwarded to this host.',
  }
}

const sources: Record<PublicEndpoint['source'], string> = {
  setting: 'from the settings',
  PUBLIC_ENDPOINT: 'from PUBLIC_ENDPOINT',
  PUBLIC_URL: 'from PUBLIC_URL',
  request: 'as you opened this page',
  'host name': 'name of this host',
  address: 'address of this host',
}

/** Text about a proposed host: where it was found and from where it is reached. */
export function candidateWords({ source, reach }: Pick<PublicEndpoint, 'source' | 'reach'>): string {
  return reach === 'public' ? sources[source] : `${sources[source]}, same network only`
}
