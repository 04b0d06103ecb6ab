import type { DnsRecord } from '../../api.ts'

/** Types of records, with what their values are. */
export const recordTypes = {
  A: { label: 'A (IPv4 address)', value: 'IPv4 address', example: '192.168.1.5' },
  AAAA: { label: 'AAAA (IPv6 address)', value: 'IPv6 address', example: 'fd00::5' },
  CNAME: { label: 'CNAME (alias)', value: 'Name it stands for', example: 'nas.home.example' },
  TXT: { label: 'TXT (text)', value: 'Text', example: 'v=spf1 -all' },
  MX: { label: 'MX (mail server)', value: 'Priority and name', example: '10 mail.example.com' },
  SRV: { label: 'SRV (service)', value: 'Priority, weight, port and name', example: '0 5 443 web.example.com' },
  PTR: { label: 'PTR (name of an address)', value: 'Name', example: 'nas.home.example' },
} as const satisfies Record<DnsRecord['type'], { label: string; value: string; example: string }>

/** How long devices may remember an answer, in words. */
export const lifetimes = [
  { value: '60', label: '1 minute' },
  { value: '300', label: '5 minutes' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
] as const

/** Values of the record form. */
export interface RecordValues extends Record<string, unknown> {
  name: string
  type: DnsRecord['type']
  value: string
  /** Seconds, as text. */
  ttl: string
  reverse: boolean
}

/** The form for a new record, or for one that exists. */
export function recordValues(record: Partial<DnsRecord> = {}): RecordValues {
  const { name = '', type = 'A', value = '', ttl = 300, reverse = true } = record
  return { name, type, value, ttl: String(ttl), reverse }
}

/** The record as the API wants it. */
export function toRecord({ name, type, value, ttl, reverse }: RecordValues) {
  return { name: name.trim(), type, value: value.trim(), ttl: Number(ttl), reverse }
}

/** Choices for the lifetime; one that was set elsewhere is among them. */
export function lifetimeChoices(ttl: string): { value: string; label: string }[] {
  const known = lifetimes.some(({ value }) => value === ttl)
  return known ? [...lifetimes] : [...lifetimes, { value: ttl, label: lifetimeText(Number(ttl)) }]
}

/** A lifetime in words. */
export function lifetimeText(seconds: number): string {
  const known = lifetimes.find(({ value }) => value === String(seconds))
  return known?.label ?? `${seconds.toLocaleString('en')} s`
}

/** True for the types whose addresses can lead back to the name. */
export const hasReverse = (type: DnsRecord['type']): boolean => type === 'A' || type === 'AAAA'
