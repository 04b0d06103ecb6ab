import { answer, Section } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { api, keys } from '../api.ts'
import { kindNames } from '../sites/site-words.ts'
import { ListField, SelectField, SwitchField, TextField, useEditing } from './fields.tsx'
import { TargetFields } from './target-fields.tsx'

/** Fields that every site needs: a name, domains, and a target. */
export function BasicSection() {
  const { draft } = useEditing()
  const { data: settings } = useQuery({
    queryKey: keys.settings,
    queryFn: () => answer(api.GET('/api/v1/settings')),
  })
  const mayRaw = settings?.allow_raw === true || draft.kind === 'raw'
  const options = Object.entries(kindNames).map(([value, label]) => ({
    value,
    label: value === 'raw' && !mayRaw ? `${label} (off in the settings)` : label,
    disabled: value === 'raw' && !mayRaw,
  }))
  return (
    <Section title="Site">
      <div className="field-stack">
        <TextField path="site_name" label="Name" placeholder="Photos" />
        <ListField
          path="domains"
          label="Domains"
          placeholder="photos.example.org"
          max={100}
          description="One or several; *.example.org stands for all names directly below"
        />
        <SelectField path="kind" label="Type" options={options} />
        <TargetFields prefix="" kind={draft.kind} />
        <SwitchField path="enabled" label="Enabled" description="A disabled site is kept here and not served." />
      </div>
    </Section>
  )
}
