import { InvalidArgumentError } from 'commander'

/** Reads a number; the message names the option. */
export function numberOption(name: string): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError(`${name} must be a number`)
    return value
  }
}

/** Reads `on` or `off`. */
export function onOff(text: string): boolean {
  if (text !== 'on' && text !== 'off') throw new InvalidArgumentError('must be on or off')
  return text === 'on'
}

/** Names given as separate arguments, with commas, or both. */
export function listOption(args: readonly string[]): string[] {
  return args.flatMap((arg) => arg.split(',')).filter((name) => name !== '')
}
