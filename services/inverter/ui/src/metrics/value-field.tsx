import { NativeSelect, NumberInput, TextInput } from '@mantine/core'
import type { Parameter } from '../api.ts'
import { humanize } from '../values/quantity.ts'
import { expectedRange, choicesOf } from './write-values.ts'

/** The input that fits an object: a choice, a number or a text. */
export function ValueField(props: {
  label: string
  parameter: Parameter
  value: string | number
  onChange: (value: string | number) => void
}) {
  const { label, parameter, value, onChange } = props
  const choices =
    parameter.value_type === 'boolean'
      ? [
          { value: 'on', label: 'On' },
          { value: 'off', label: 'Off' },
        ]
      : choicesOf(parameter)
  if (choices.length > 0)
    return (
      <NativeSelect
        label={label}
        data={[{ value: '', label: 'Choose' }, ...choices]}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    )
  if (parameter.value_type === 'string')
    return <TextInput label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)} />
  const range = expectedRange(parameter)
  return (
    <NumberInput
      label={label}
      value={value}
      onChange={onChange}
      allowDecimal={parameter.value_type === 'number'}
      decimalScale={6}
      {...(parameter.unit === null ? {} : { suffix: parameter.unit === 'ratio' ? '' : ` ${parameter.unit}` })}
      {...(range === undefined
        ? {}
        : {
            description: `${humanize(range.meaning)}; usually from ${range.min.toLocaleString('en')} to ${range.max.toLocaleString('en')}`,
          })}
    />
  )
}
