import { answer, applyFieldProblems, QueryState, useAction, SaveBar } from '@hearth/ui'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type DnsSettings, keys } from '../api.ts'
import { DnsFrame } from '../dns/dns-frame.tsx'
import { readDnsSettings } from '../dns/read-dns.ts'
import { BlockingFields, CacheFields, PrivacyFields, ProtectionFields } from '../dns/settings/dns-settings-fields.tsx'
import { changedDnsSettings, dnsSettingsValues, type DnsSettingsValues } from '../dns/settings/dns-settings-values.ts'
import { UpstreamFields } from '../dns/settings/upstream-fields.tsx'

/** How the resolver works; administrators only. */
export function DnsSettingsPage() {
  const settings = useQuery({ queryKey: keys.dnsSettings, queryFn: readDnsSettings })
  return (
    <DnsFrame>
      <QueryState query={settings} lines={8} />
      {settings.data !== undefined && <Form key={formKey(settings.data)} settings={settings.data} />}
    </DnsFrame>
  )
}

/** A pause somebody else begins must not throw away what is typed here. */
const formKey = ({ blocking_paused_until: _paused, ...settings }: DnsSettings): string => JSON.stringify(settings)

function Form({ settings }: { settings: DnsSettings }) {
  const [problem, setProblem] = useState<string>()
  const form = useForm<DnsSettingsValues>({ initialValues: dnsSettingsValues(settings) })
  const changes = changedDnsSettings(form.getValues(), settings)
  const count = Object.keys(changes).length
  const save = useAction<void, { message: string }>({
    run: () => answer(api.PUT('/api/dns/settings', { body: changes })),
    renew: [keys.dnsSettings, keys.dnsStatus],
    onProblem: (error) => setProblem(applyFieldProblems(form, error) ?? undefined),
  })
  const submit = form.onSubmit(() => {
    setProblem(undefined)
    if (count > 0) save.mutate()
  })
  return (
    <form onSubmit={submit} noValidate className="hearth-stack settings-form">
      <UpstreamFields form={form} settings={settings} />
      <BlockingFields form={form} />
      <PrivacyFields form={form} />
      <ProtectionFields form={form} />
      <CacheFields form={form} />
      <SaveBar count={count} problem={problem} isSaving={save.isPending} onDiscard={() => form.reset()} />
    </form>
  )
}
