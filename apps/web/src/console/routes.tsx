/**
 * Every screen of the signed-in application: its address, its title, and where its code is. A screen's code is a chunk
 * of its own, fetched when it is opened. To add one: a `screen(…)` in `framed` or a `page(…)`, and a component under
 * src/console/<noun>/ that shows a PageHeading at once, also while it loads.
 */
import { createRootRoute, createRoute, lazyRouteComponent, type RouteComponent } from '@tanstack/react-router'
import { NotFoundScreen } from './frame/NotFoundScreen.tsx'
import { Root } from './frame/Root.tsx'

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** The document's title until the screen has a better one. */
    title?: string
  }
}

/** What stands after the `?` is text that anybody can write; each screen reads the keys it knows. */
type Search = Record<string, string | undefined>
const textSearch = (search: Record<string, unknown>): Search =>
  Object.fromEntries(
    Object.entries(search).map(([key, value]) => [
      key,
      value === undefined ? undefined : String(value).slice(0, 2000),
    ]),
  )

const root = createRootRoute({
  component: Root,
  notFoundComponent: NotFoundScreen,
  validateSearch: textSearch,
})

const page = <const Path extends string>(path: Path, title: string, component: RouteComponent) =>
  createRoute({ getParentRoute: () => root, path, staticData: { title }, component })

/** Asks for a sign-in first, and returns to the page asked for. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: lazyRouteComponent(() => import('./auth/RequireSession.tsx'), 'RequireSession'),
})
/** The same, inside the console's frame: top bar, sidebar, wallet card. */
const framed = createRoute({
  getParentRoute: () => signedIn,
  id: 'framed',
  component: lazyRouteComponent(() => import('./frame/Frame.tsx'), 'Frame'),
})
const screen = <const Path extends string>(path: Path, title: string, component: RouteComponent) =>
  createRoute({ getParentRoute: () => framed, path, staticData: { title }, component })

/** What staff alone open, inside the frame of administration. */
const adminFramed = createRoute({
  getParentRoute: () => signedIn,
  id: 'admin-framed',
  component: lazyRouteComponent(() => import('./frame/admin/AdminFrame.tsx'), 'AdminFrame'),
})
const adminScreen = <const Path extends string>(path: Path, title: string, component: RouteComponent) =>
  createRoute({ getParentRoute: () => adminFramed, path, staticData: { title }, component })

const instance = screen(
  '/console/instances/$id',
  'Instance',
  lazyRouteComponent(() => import('./instances/page/InstanceScreen.tsx'), 'InstanceScreen'),
)
/** Its tabs have addresses below its own, and the screen stays while they change. */
const instanceTab = <const Path extends string>(path: Path) =>
  createRoute({ getParentRoute: () => instance, path, staticData: { title: 'Instance' } })

const dashboard = lazyRouteComponent(() => import('./dashboard/DashboardScreen.tsx'), 'DashboardScreen')
const machines = lazyRouteComponent(() => import('./admin/machines/MachinesScreen.tsx'), 'MachinesScreen')
const volumes = lazyRouteComponent(() => import('./volumes/VolumesScreen.tsx'), 'VolumesScreen')

export const routeTree = root.addChildren([
  page(
    '/_kit',
    'Kit',
    lazyRouteComponent(() => import('./kit/KitScreen.tsx'), 'KitScreen'),
  ),
  page(
    '/signin',
    'Sign in',
    lazyRouteComponent(() => import('./auth/SignInScreen.tsx'), 'SignInScreen'),
  ),
  page(
    '/get-started',
    'Create account',
    lazyRouteComponent(() => import('./auth/GetStartedScreen.tsx'), 'GetStartedScreen'),
  ),
  page(
    '/forgot-password',
    'Forgot password',
    lazyRouteComponent(() => import('./auth/ForgotPasswordScreen.tsx'), 'ForgotPasswordScreen'),
  ),
  page(
    '/reset-password',
    'Set a new password',
    lazyRouteComponent(() => import('./auth/ResetPasswordScreen.tsx'), 'ResetPasswordScreen'),
  ),
  page(
    '/invitation',
    'Invitation',
    lazyRouteComponent(() => import('./auth/InvitationScreen.tsx'), 'InvitationScreen'),
  ),
  page(
    '/email-change',
    'Change email',
    lazyRouteComponent(() => import('./auth/EmailChangeScreen.tsx'), 'EmailChangeScreen'),
  ),
  page(
    '/cancel-withdrawal',
    'Cancel the withdrawal',
    lazyRouteComponent(() => import('./withdrawals/CancelScreen.tsx'), 'CancelScreen'),
  ),
  page(
    '/dev/mail',
    'Development inbox',
    lazyRouteComponent(() => import('./dev/MailScreen.tsx'), 'MailScreen'),
  ),
  signedIn.addChildren([
    framed.addChildren([
      screen('/dashboard', 'Dashboard', dashboard),
      screen('/console', 'Dashboard', dashboard),
      screen(
        '/console/instances',
        'Instances',
        lazyRouteComponent(() => import('./instances/InstancesScreen.tsx'), 'InstancesScreen'),
      ),
      instance.addChildren([
        instanceTab('/'),
        instanceTab('terminal'),
        instanceTab('files'),
        instanceTab('logs'),
        instanceTab('metrics'),
        instanceTab('ports'),
        instanceTab('events'),
        instanceTab('settings'),
      ]),
      screen(
        '/console/deploy',
        'Deploy instance',
        lazyRouteComponent(() => import('./instances/deploy/DeployScreen.tsx'), 'DeployScreen'),
      ),
      screen('/console/volumes', 'Network volumes', volumes),
      screen('/console/network-volumes', 'Network volumes', volumes),
      screen(
        '/console/network-volumes/$id',
        'Volume',
        lazyRouteComponent(() => import('./volumes/page/VolumeScreen.tsx'), 'VolumeScreen'),
      ),
      screen(
        '/console/templates',
        'Templates',
        lazyRouteComponent(() => import('./templates/TemplatesScreen.tsx'), 'TemplatesScreen'),
      ),
      screen(
        '/console/billing',
        'Billing',
        lazyRouteComponent(() => import('./billing/BillingScreen.tsx'), 'BillingScreen'),
      ),
      screen(
        '/console/logs',
        'Logs',
        lazyRouteComponent(() => import('./activity/LogsScreen.tsx'), 'LogsScreen'),
      ),
      screen(
        '/console/support',
        'Support',
        lazyRouteComponent(() => import('./support/SupportScreen.tsx'), 'SupportScreen'),
      ),
      screen(
        '/console/settings',
        'Settings',
        lazyRouteComponent(() => import('./accounts/SettingsScreen.tsx'), 'SettingsScreen'),
      ),
    ]),
    adminFramed.addChildren([
      adminScreen(
        '/admin',
        'Admin',
        lazyRouteComponent(() => import('./admin/overview/OverviewScreen.tsx'), 'OverviewScreen'),
      ),
      adminScreen(
        '/admin/inquiries',
        'Inquiries',
        lazyRouteComponent(() => import('./admin/InquiriesScreen.tsx'), 'InquiriesScreen'),
      ),
      adminScreen('/admin/machines', 'Machines', machines),
      adminScreen('/admin/hosts', 'Machines', machines),
      adminScreen(
        '/admin/machines/$id',
        'Host',
        lazyRouteComponent(() => import('./admin/machines/HostScreen.tsx'), 'HostScreen'),
      ),
      adminScreen(
        '/admin/placements',
        'Decisions about places',
        lazyRouteComponent(() => import('./admin/machines/PlacementsScreen.tsx'), 'PlacementsScreen'),
      ),
      adminScreen(
        '/admin/templates',
        'Templates to review',
        lazyRouteComponent(() => import('./admin/templates/ReviewsScreen.tsx'), 'ReviewsScreen'),
      ),
      adminScreen(
        '/admin/announcements',
        'Announcements',
        lazyRouteComponent(() => import('./admin/site/AnnouncementsScreen.tsx'), 'AnnouncementsScreen'),
      ),
      adminScreen(
        '/admin/subscribers',
        'Subscribers',
        lazyRouteComponent(() => import('./admin/site/ReadersScreen.tsx'), 'ReadersScreen'),
      ),
      adminScreen(
        '/admin/site',
        'Site content',
        lazyRouteComponent(() => import('./admin/site/SiteContentScreen.tsx'), 'SiteContentScreen'),
      ),
      adminScreen(
        '/admin/setup',
        'Setup',
        lazyRouteComponent(() => import('./admin/site/SetupScreen.tsx'), 'SetupScreen'),
      ),
      adminScreen(
        '/admin/audit-log',
        'Audit log',
        lazyRouteComponent(() => import('./admin/audit/AuditLogScreen.tsx'), 'AuditLogScreen'),
      ),
      adminScreen(
        '/admin/tickets',
        'Support tickets',
        lazyRouteComponent(() => import('./admin/ToTickets.tsx'), 'ToTickets'),
      ),
      adminScreen(
        '/admin/ai-settings',
        'AI settings',
        lazyRouteComponent(() => import('./admin/replies/AiSettingsScreen.tsx'), 'AiSettingsScreen'),
      ),
      adminScreen(
        '/admin/money',
        'Money',
        lazyRouteComponent(() => import('./admin/money/MoneyScreen.tsx'), 'MoneyScreen'),
      ),
      adminScreen(
        '/admin/prices',
        'Prices',
        lazyRouteComponent(() => import('./admin/money/PricesScreen.tsx'), 'PricesScreen'),
      ),
      adminScreen(
        '/admin/payouts',
        'Payouts',
        lazyRouteComponent(() => import('./admin/money/PayoutsScreen.tsx'), 'PayoutsScreen'),
      ),
    ]),
    createRoute({
      getParentRoute: () => signedIn,
      path: '/terminal/$instanceId',
      staticData: { title: 'Terminal' },
      component: lazyRouteComponent(
        () => import('./instances/terminal/TerminalScreen.tsx'),
        'TerminalScreen',
      ),
    }),
  ]),
])
