import type { Parameter } from '../api.ts'

/** What is typed into the field of an object, as the API takes it; undefined while nothing that can be sent is there. */
export function toWriteValue(
  text: string | number,
  { value_type }: Pick<Parameter, 'value_type'>,
): number | boolean | string | undefined {
  if (value_type === 'string') return String(text)
  if (text === '') return undefined
  if (value_type === 'boolean') return text === 'on'
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

/** The choices of an object that has named values, by code. */
export function choicesOf({ labels, allowed_values }: Pick<Parameter, 'labels' | 'allowed_values'>) {
  return Object.entries(labels ?? {})
    .filter(([code]) => allowed_values === null || allowed_values.includes(Number(code)))
    .map(([code, label]) => ({ value: code, label: `${label.replaceAll('_', ' ')} (${code})` }))
}
