import { rcodeNames, typeNames } from './code-names.data.ts'

const typeNumbers = new Map(Object.entries(typeNames).map(([number, name]) => [name, Number(number)]))

/** A DNS type as people write it: `AAAA`, or `TYPE1234` (RFC 3597) when it has no name here. */
export const typeName = (type: number): string => typeNames[type] ?? `TYPE${type}`

/** The number of a type written as a name (upper and lower case alike), `TYPE1234` or `1234`; undefined when it is none. */
export function typeNumber(text: string): number | undefined {
  const known = typeNumbers.get(text.toUpperCase())
  if (known !== undefined) return known
  const digits = /^(?:TYPE)?(\d{1,5})$/i.exec(text)?.[1]
  const number = Number(digits)
  return digits !== undefined && number <= 65_535 ? number : undefined
}

/** A response code as people write it: `NXDOMAIN`, or `RCODE12` when it has no name here. */
export const rcodeName = (rcode: number): string => rcodeNames[rcode] ?? `RCODE${rcode}`
