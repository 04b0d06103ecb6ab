import type { Parameter } from '../api.ts'

/** What an object holds, for people. */
export const kinds: Record<Parameter['value_type'], string> = {
  boolean: 'On or off',
  integer: 'Whole number',
  number: 'Number',
  string: 'Text',
  enum: 'Choice',
}
