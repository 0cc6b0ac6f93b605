import { type TemplateDetails, templateLimits } from '@ingot/contracts/templates'
import { Band } from '../../../ui/Band.tsx'
import { Field } from '../../../ui/Field.tsx'
import { PasswordInput } from '../../../ui/PasswordInput.tsx'
import { Input } from '../../../ui/Input.tsx'
import type { GivenSecrets } from './given-secrets.ts'

interface SecretsGivenProps {
  readonly template: TemplateDetails
  readonly given: GivenSecrets
  readonly onChange: (given: GivenSecrets) => void
  readonly errors: Readonly<Record<string, string>>
}

/** Of a template that somebody else shares: what it has sealed values of, which are not shared. */
export function SecretsGiven({ template, given, onChange, errors }: SecretsGivenProps) {
  const { secret_names, has_registry_credentials, is_mine } = template
  if (is_mine || (secret_names.length === 0 && !has_registry_credentials)) return null
  const missing = secret_names.filter(name => !given.secrets[name])
  return (
    <section aria-labelledby="secrets-given" className="flex max-w-auth flex-col gap-4">
      <div>
        <h2 id="secrets-given" className="text-heading">
          Secrets of the template
        </h2>
        <p className="text-muted">
          Their values are not shared with you. What you enter here is sealed, is a variable of this instance
          alone, and goes with no clone.
        </p>
      </div>
      {secret_names.map(name => (
        <Field key={name} label={<span className="font-mono text-code break-all">{name}</span>} optional>
          <PasswordInput
            autoComplete="off"
            maxLength={templateLimits.value}
            value={given.secrets[name] ?? ''}
            onChange={event =>
              onChange({ ...given, secrets: { ...given.secrets, [name]: event.target.value } })
            }
          />
        </Field>
      ))}
      {has_registry_credentials && (
        <div className="grid gap-4 sm:grid-cols-2">
          <Field
            label="Registry user name"
            optional
            hint="The image is pulled with a name and password."
            error={errors['registry_credentials']}
          >
            <Input
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              maxLength={templateLimits.credential}
              value={given.username}
              onChange={event => onChange({ ...given, username: event.target.value })}
            />
          </Field>
          <Field label="Registry password" optional>
            <PasswordInput
              autoComplete="new-password"
              maxLength={templateLimits.credential}
              value={given.password}
              onChange={event => onChange({ ...given, password: event.target.value })}
            />
          </Field>
        </div>
      )}
      {errors['secrets'] && <p className="text-label text-danger">They {errors['secrets']}</p>}
      {missing.length > 0 && (
        <Band tone="warn">Without a value here, the instance starts without {missing.join(', ')}.</Band>
      )}
    </section>
  )
}
