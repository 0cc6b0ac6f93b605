/** GET /settings: what is offered here, for sign-in screens. */
import type { SmsSender } from './letters/sms-sender.ts'
import { external, externalNames } from './providers/providers.ts'
import { isSamlOn } from './providers/saml/saml-on.ts'
import type { AuthSettings } from './settings.ts'

export function presentSettings({ settings, sms }: { settings: AuthSettings; sms: SmsSender | null }) {
  return {
    external: {
      anonymous_users: settings.anonymous,
      email: settings.emailProvider,
      phone: sms !== null,
      ...external(settings),
    },
    external_names: externalNames(settings),
    disable_signup: !settings.signUp,
    mailer_autoconfirm: settings.autoconfirm,
    phone_autoconfirm: settings.phoneAutoconfirm,
    sms_provider: sms?.name ?? '',
    saml_enabled: isSamlOn({ settings }),
    // Rules that screens say before the service has to.
    password_min_length: settings.minPasswordLength,
    mail_spacing_seconds: settings.mailSpacingSeconds,
  }
}
