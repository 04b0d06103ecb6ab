import { answer, applyFieldProblems, PageHeader, QueryState, SaveBar, useAction } from '@hearth/ui'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, keys, type Settings } from '../api.ts'
import { ApplyFields, CertificateFields, GradeFields, VisitorFields } from '../settings/settings-fields.tsx'
import { changedSettings, rebasedValues, type SettingsValues, settingsValues } from '../settings/settings-values.ts'
import { SslLabsSection } from '../settings/ssl-labs-section.tsx'

/** Settings of the service and of all sites; administrators only. */
export function SettingsPage() {
  const settings = useQuery({ queryKey: keys.settings, queryFn: () => answer(api.GET('/api/v1/settings')) })
  return (
    <>
      <PageHeader title="Settings" description="They apply to all sites, unless a site overrides them." />
      <QueryState query={settings} lines={8} />
      {settings.data !== undefined && <SettingsForm settings={settings.data} />}
    </>
  )
}

function SettingsForm({ settings }: { settings: Settings }) {
  const [problem, setProblem] = useState<string>()
  const form = useForm<SettingsValues>({ initialValues: settingsValues(settings) })
  const [known, setKnown] = useState(settings)
  // Others may save something while somebody types here.
  if (known !== settings) {
    form.setValues(rebasedValues(form.getValues(), { before: known, now: settings }))
    setKnown(settings)
  }
  const changes = changedSettings(form.getValues(), settings)
  const count = Object.keys(changes).length
  const save = useAction<void, Settings>({
    run: () => answer(api.PATCH('/api/v1/settings', { body: changes })),
    done: () => 'Settings saved',
    renew: [keys.settings],
    onProblem: (error) => setProblem(applyFieldProblems(form, error) ?? undefined),
  })
  const submit = form.onSubmit(() => {
    setProblem(undefined)
    if (count > 0) save.mutate()
  })
  return (
    <div className="hearth-stack settings-form">
      <form id="settings" onSubmit={submit} noValidate className="hearth-stack">
        <CertificateFields form={form} />
        <VisitorFields form={form} />
        <ApplyFields form={form} />
        <GradeFields form={form} />
      </form>
      <SslLabsSection details={settings.ssllabs} />
      <SaveBar
        form="settings"
        count={count}
        problem={problem}
        isSaving={save.isPending}
        onDiscard={() => form.setValues(settingsValues(settings))}
      />
    </div>
  )
}
