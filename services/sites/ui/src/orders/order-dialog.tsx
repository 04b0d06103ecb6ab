import { Button, Modal, NativeSelect, Text, Textarea, TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { answer, EmptyState, FormDialog, QueryState } from '@hearth/ui'
import { IconWorldCog } from '@tabler/icons-react'
import { Link } from 'wouter'
import { api, keys } from '../api.ts'
import { type DnsProvider, useDnsProviders } from './read-orders.ts'

interface OrderDialogProps {
  readonly onClose: () => void
  readonly onOrdered: (id: string) => void
}

/** The form of a new order; without a DNS provider it says where to set one up. */
export function OrderDialog(props: OrderDialogProps) {
  const providers = useDnsProviders()
  const found = providers.data?.providers
  if (found !== undefined && found.length > 0) return <OrderForm {...props} providers={found} />
  return (
    <Modal opened onClose={props.onClose} title="Order a certificate">
      <QueryState query={providers} lines={3} />
      {found !== undefined && (
        <EmptyState
          icon={IconWorldCog}
          title="Set up a DNS provider first"
          action={
            <Button component={Link} href="/certificates/dns">
              DNS providers
            </Button>
          }
        >
          The authority asks for a TXT record as a proof. The service makes it where your zone is kept.
        </EmptyState>
      )}
    </Modal>
  )
}

const required = isNotEmpty('Required')

const listOf = (text: string): string[] => text.split(/[\s,]+/).filter((part) => part !== '')

function OrderForm({ providers, onClose, onOrdered }: OrderDialogProps & { providers: readonly DnsProvider[] }) {
  const form = useForm({
    initialValues: { name: '', domains: '', provider_id: providers[0]?.id ?? '', directory: '' },
    validate: { name: required, domains: required },
  })
  return (
    <FormDialog
      opened
      onClose={onClose}
      title="Order a certificate"
      submitLabel="Order"
      form={form}
      submit={({ domains, directory, ...rest }) =>
        answer(
          api.POST('/api/certificate-orders', {
            body: { ...rest, domains: listOf(domains), ...(directory !== '' && { directory }) },
          }),
        )
      }
      onDone={({ id }) => onOrdered(id)}
      renew={[keys.orders]}
    >
      <TextInput
        label="Name"
        placeholder="House wildcard"
        description="By which sites choose the certificate"
        {...form.getInputProps('name')}
      />
      <Textarea
        label="Domains"
        placeholder={'example.org\n*.example.org'}
        description="One per line. A wildcard covers one level and not the name itself."
        autosize
        minRows={2}
        maxRows={8}
        spellCheck={false}
        {...form.getInputProps('domains')}
      />
      <NativeSelect
        label="DNS provider"
        description="Holds the zone of the names, or the zone that _acme-challenge leads to"
        data={providers.map(({ id, name, label }) => ({ value: id, label: `${name} (${label})` }))}
        {...form.getInputProps('provider_id')}
      />
      <TextInput
        label="Other authority"
        placeholder="https://acme.example.org/directory"
        description="Its ACME directory; empty takes that of the settings"
        {...form.getInputProps('directory')}
      />
      <Text size="sm" c="dimmed">
        By ordering you accept the terms of the authority, and the names become public in its logs.
      </Text>
    </FormDialog>
  )
}
