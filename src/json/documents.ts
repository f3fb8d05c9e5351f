// The JSON documents of the commands: docs/json.md and the JSON Schemas are generated from them, and so are the types of what commands print.
// The program imports only the types, and `json-schema` the rest when it prints one.
import { optional } from './forms.js';
import type { ObjectOf } from './keys.js';

const STORED = 'uploadId location manifestKey datasetId version fork? files bytes storedBytes chunks';
const TOOK = 'skipped durationMs requests';
const CHANGED = 'added? modified? deleted? unchanged? gone? referred? noChanges? comparedWith?';
/** Keys of a dry run. */
const PLANNED = 'dryRun? dataset? classes? estimate? wouldRefuse? budgetChecks? contents? cost? access?';
const UPLOAD =
  `${STORED} shardCount ${TOOK} ${CHANGED} directFiles? deduplicated? earlierKeyIds? untoldKeyChunks? dvcFiles? dvcContents? dvcOuts? removedSource? receiptFile? alsoStores? ${PLANNED}` as const;
const RESTORED =
  'uploadId outputDir dryRun files directories bytes unchanged protected failed warnings bytesFetched chunks ranges location durationMs requests';
const RETRIEVAL =
  'status jobId? costUsd lines provider region isAws pricesOf terms coldChunks readyBy? tiers? wouldRefuse? budgetChecks?';
const JOB =
  'jobId status location outputDir datasetId? version? selectors files bytes chunks chunksReadable tier restoreDays costUsd createdAt checkedAt readyAt expiresAt completedAt restored reason';
const LOADS = 'ratio averageBytes largestBytes totalBytes shardCount shards';
const BUDGET =
  'project isGlobal budgetPeriod periodStart periodEnd projectedFor costUsage volumeUsage unpricedRuns reservedRuns reservedUsd reservedBytes baseUntil location';
const SPENT =
  'period firstDay lastDay timeZone costUsd knownUsd gbMonths requestCount requestsByKind transferredBytes retrievedBytes unpricedStores levels unreadLines runs uploadCount files bytes storedBytes costByItem costByProject costByRegion costByClass costByStore priceDates';
const COMPLIANCE =
  'agency awardNumber isAwardValid project budget createdAt tool currency priceBasis directCosts costByMonth commitments uploadsWithoutProject storageLocations blanks note';
const SUBMITTED =
  'scheduler uploadId location partCount missingParts partsPerTask job writtenTo? partsJobId? commitJobId? isCommitted?';
const COUNTS = 'added deleted modified unchanged';
const ORIGIN = 'provider region pricesOf terms';
const KEPT = 'storageClass objects bytes uploadUsd monthlyUsd yearlyUsd minimumDays earlyDeletionUsd restores';

const SERIES = 'kind project region knownDays unknownDays neededDays? dailyCosts storedPerDayUsd leftOutStores';

/** What `analyze` says of a store, and of a folder of this computer. */
const STORE_ANALYSIS = optional(
  'location objects monthlyUsd yearlyUsd storedClasses sizeBands versionsHidden older unfinished unfinishedHidden sampled inventory classSavings isAws requests',
);
const FOLDER_ANALYSIS = optional(
  'source files directories allocatedBytes ageBy olderThanMs oldFiles oldBytes owners largestFolders hotFolders hotFolderCount classEstimates oldClassEstimates onDiskUsd oldOnDiskUsd uploadCommand leftOutCount skipped',
);

/** The keys of each command in addition to `schemaVersion`; a key with `?` may be missing. */
export const JSON_DOCUMENTS = {
  'access-check':
    'bucket prefix region callerArn account findings overall capabilities requests promises? leftObjects?',
  'alerts config': 'channels cooldownMs lastAlerts file',
  'alerts configure': 'channels cooldownMs',
  'alerts disable': 'channels',
  'alerts enable': 'channels',
  'alerts test': 'alerts outcomes',
  analyze: `bytes ageBands ${ORIGIN} durationMs ${STORE_ANALYSIS} ${FOLDER_ANALYSIS}`,
  balance: `uploadId threshold imbalanced canImprove ${LOADS} plan? executed moved? supersededObjects? supersededBytes? location dryRun durationMs requests`,
  benchmark: `dataType file bytes blockBytes threads chosenLevels benchmarks storageClass ${ORIGIN} durationMs`,
  browse: '',
  cat: '',
  'budget list': 'budgets location',
  'budget remove': 'project isGlobal isRemoved location',
  'budget set': BUDGET,
  'budget status': BUDGET,
  commit:
    'uploadId location datasetId isCommitted partCount? missingParts? missingArray? manifestKey? version? fork? alreadyComplete? files? bytes? storedBytes? chunks? skippedCount? skipped? durationMs? requests',
  completion: 'shell script',
  config: 'yaml? config? ok? file? changed? settings? settingCount? problems? store?',
  context: 'context setBy',
  'context list': 'contexts',
  'context reset': 'context file isRemoved',
  'context show': 'context setBy cwd file stores',
  'context switch': 'context file',
  copy: 'copyFrom copyTo dryRun copiedVersions objects bytes addedTags? readUsd? requestsUsd? monthlyUsd? wouldRefuse? budgetChecks? durationMs requests',
  'cost estimate': `operation ${KEPT} ${ORIGIN}`,
  'cost pricing': `${ORIGIN} bytesPerGb classPrices listPer1000 kmsPer1000 transferOut freeTransferGb freeTransferTimesStored minimumGb`,
  'cost benchmark-compare': `bytes files compressionRatio dedupRatio storageClass ${ORIGIN} tools`,
  'cost burnrate': `${SERIES} knownUsd? oncePerDayUsd? perDayUsd? perMonthUsd? highestDayUsd? slopeUsd? trend? chance?`,
  'cost exhaustion': `${SERIES} budgetUsd spentUsd leftUsd overUsd? days date probability model? expectedUsd? storedUsd? storedDate?`,
  'cost forecast': `${SERIES} model predictions accuracy? fitted? fittedAdded?`,
  'cost history': 'historyFile uploadCount unreadLines history',
  'cost budget list': 'budgets location',
  'cost budget remove': 'project isGlobal isRemoved location',
  'cost budget set': BUDGET,
  'cost budget status': BUDGET,
  'cost project': `project datasetIds ${SPENT}`,
  'cost projects': 'projects unreadLines',
  'cost rebase':
    'location measuredBy measuredAt dryRun isRecorded recorded measured corrections correctedBudgets finishedCorrections busyUploads unreadLines requests durationMs',
  'cost reconcile':
    'billForm firstDay lastDay timeZone recordedUsd totalUsd billedUsd otherBilledUsd creditsUsd refundsUsd taxesUsd rows otherRows billLines billProjects',
  'cost report': optional(`${SPENT} ${COMPLIANCE} csv unpricedLines writtenTo`),
  'cost summary': `${SPENT} tagged`,
  'cost upload': `uploadId location datasetId project files bytes monthlyUsd requestsUsd isAws ${ORIGIN} costByStoredClass savings? requests`,
  'create keys': 'privateKeyFile publicKeyFile fingerprint gpgKeyId encryptionKeyId isKeyEncrypted keyType',
  'create upload': UPLOAD,
  dashboard:
    'view location? troubles monthSpend? budgets? uploads? folder? plans? storedUploads? unreadableCount? lookedAt? writerCount? writerConditions? troubledCount? rollout? writers? leftOutWriters? notes?',
  'dataset diff': `datasetId location fromUploadId fromVersion fromFork? toUploadId toVersion toFork? ${COUNTS} folderChanges requests changes`,
  'dataset list': 'datasets location requests',
  'dataset prune':
    'datasetId? datasets? location dryRun retired? kept? compacted? dependent? abandonedUploads? marked? waiting? locked? keepsVersions? deletedObjects? deletedBytes? oldCheckCount? unfinishedWrites? unfinishedHidden? failed? earlyDeletion? warnings? writers? durationMs requests',
  'dataset restore-version':
    'datasetId location version fork? uploadId createdAt files bytes manifestSha256 wasRetiredAt? isBroughtBack dryRun objects? storedBytes? markedObjects? requests',
  'dataset tag': 'datasetId location tag isRemoved versions requests',
  'dataset versions': 'datasetId location versions requests',
  download: `${RESTORED} datasetId? version? fork?`,
  drill: 'ok location dryRun drills durationMs requests',
  'dvc export':
    'uploadId location outputDir cacheDir files ignored links leftOut gitignoreLines folders written unchanged replaced firstReplaced failed requests',
  'dvc stages': 'uploadId location stages others dvc requests',
  'fleetagent run':
    'writerId location cycleCount configVersion isHealthy lastSuccessAt startedAt? endedAt? sourceCycles writerFindings troubles',
  'dvc status':
    'uploadId location localPath stage files unchanged modified missing unknown changes failed untracked requests',
  estimate: `source files bytes packedBytes storedBytes manifestBytes compressionRatio sampledBytes sampledShare chunks chunkBytes shardCount skipped bandwidth bandwidthFrom transferMs classEstimates requestsAtOnce? recommendations? oneObjectAFileUsd? ${ORIGIN}`,
  'fleetagent config-keygen': 'privateKeyFile publicKeyFile keyId',
  'fleetagent sign-config': 'file signatureFile keyId otherKeyIds? writerId configVersion',
  'fleetagent validate-config': 'ok file writerId configVersion keyId errors warnings widenings',
  'fleet monitor': 'location passes',
  'fleet status':
    'location lookedAt writerCount writerConditions troubledCount rollout writers leftOutWriters notes requests durationMs',
  'fleet lock-extend':
    'location dryRun lockedUntil datasetCount versionCount objects toExtend extended failed warnings requests',
  find: 'pattern location hitCount datasets warnings requests hits',
  history: 'datasetId location path pathBase64? versionCount history hint requests',
  'fleet lock-status': 'bucket prefix overall findings requests',
  'fleetagent iam-policy': 'location policy writtenTo?',
  'fleetagent init': 'location writerId folder bundleFiles minted',
  'fleetagent adopt': 'writerId location sources writerFindings',
  'fleetagent scuttle':
    'writerId userName isUserDeleted isPolicyDeleted deletedKeys detachedPolicies purged revokeByHand?',
  info: 'uploadId location manifest delta? manifests? versionChecks encryption cost? requests',
  'json-schema': 'jsonSchema? jsonSchemas?',
  lifecycle:
    'templates? templateSavings? location? lifecycleRules? exportFile? ruleChanges? waitingChunks? waitingBytes? transitionUsd? uploadsLeftOut? dryRun? isConfirmed? rulesAltered? requests?',
  list: 'uploadId? location contents? files? bytes? listing? totals? datasets? uploads? places? isComplete? requests',
  metrics: 'namespace region isSent metrics',
  'metrics checks': 'location checkedDatasets requests',
  migrate: `uploadId? location? manifestKey? datasetId? version? fork? files bytes storedBytes chunks? shardCount? dvcContents? skipped durationMs requests? ${CHANGED} archive? format? entries? validated? originalDeleted? originalKept? notKept? tempFolder? tempBytes? source? archives? archiveCount? skippedCount? part? partCount? ${PLANNED}`,
  mount: 'location servedUrl mountFolder mountedBy',
  plan: `uploadId? location? datasetId version? partCount? planParts? files? bytes? spanningGroups? spanningBytes? skippedCount? skipped? nextCommands? ${CHANGED} durationMs requests`,
  'plan status':
    'uploadId location datasetId partCount partStates bytes bytesDone storedBytes bytesPerSecond etaMs? isCommitted requests',
  repair:
    'uploadId status damage datasetId version manifestKey rebuilt parts isProven bytesFetched lost unknowns segmentKeys manifestSha256 backupKey rebased location requests',
  restore: `${RESTORED} datasetId? version? fork? part? partCount? ${RETRIEVAL}`,
  'profile collect': 'folder profiles troubles exitStatus',
  'profile list': 'profiles',
  'profile stats':
    'pid nodeVersion uptimeMs cpuUserMs cpuSystemMs rssBytes maxRssBytes heapUsedBytes heapTotalBytes heapLimitBytes externalBytes arrayBufferBytes eventLoop collections activeResources workerThreads osThreads',
  'restore jobs check': 'jobs unreadable',
  'restore jobs clean': 'removed keptCount orphans dryRun folder',
  'restore jobs download': `${JOB} uploadId? dryRun? directories? unchanged? protected? failed warnings? bytesFetched? ranges? durationMs requests`,
  'restore jobs list': 'jobs folder',
  resume: `${optional(UPLOAD)} alreadyComplete?`,
  'resume clean': 'removed keptCount orphans dryRun folder',
  'resume list': 'uploads folder',
  scuttle:
    'location found leftAlone leftAloneSamples versionsHidden requests dryRun deletedObjects deletedVersions deletedBytes abortedMultiparts failed failedCount freedFrom keptCount',
  serve: 'location servedUrl isWebdav accessToken',
  setup: 'file changed location usability checks capabilities diff nextCommands',
  shell: '',
  'submit batch': SUBMITTED,
  'submit kubernetes': SUBMITTED,
  'submit slurm': SUBMITTED,
  sync: UPLOAD,
  upload: UPLOAD,
  verify:
    'ok checked part? partCount? uploadId? errors? errorCount? warnings? hint? entries? files? bytes? datasets? versionCount? damagedVersionCount? uploads? uncheckedUploadCount? isComplete? chunks chunksRead unreadCold thawEstimate? filesRead bytesFetched unrecordedReason location durationMs requests',
  work: 'uploadId location datasetId workedParts requests',
} as const;

/** Documents that any command may print instead, identified by the first of these keys. */
export const OTHER_DOCUMENTS = {
  error: 'error',
  call: 'call summary commands? flags?',
  programVersion: 'programVersion',
} as const;

const STATUS =
  'time operation? source? destination? percent? files? filesTotal? chunks? chunksTotal? chunksInFlight? itemKind? items? itemsTotal? bytes bytesTotal? bytesSent? read? wireBytes? storedBytes retries skippedCount bytesPerSecond storedBytesPerSecond etaMs? compression? plannedCost? path? thaw? durationMs';

/** Lines of `--progress-format json`, by their `type`. */
export const JSON_LINES = {
  status: `${STATUS} phase isStopping retrying? note?`,
  error: 'time operation? path? code? message hint?',
  summary: `${STATUS} outcome result?`,
} as const;

/** Output of `archiver PATH --json`, without `schemaVersion`. */
export type Document<P extends string> = P extends keyof typeof JSON_DOCUMENTS
  ? ObjectOf<(typeof JSON_DOCUMENTS)[P]>
  : object;

/** A document that any command may print instead. */
export type OtherDocument = ObjectOf<(typeof OTHER_DOCUMENTS)[keyof typeof OTHER_DOCUMENTS]>;

export type LineType = keyof typeof JSON_LINES;

/** A line of progress without `schemaVersion` and `type`. */
export type JsonLine<N extends LineType> = ObjectOf<(typeof JSON_LINES)[N]>;

/** Keys of a `D` that are not in the form of a document, at any depth. */
type Surplus<D, F> = D extends readonly (infer Item)[]
  ? Surplus<Item, Extract<F, readonly unknown[]>[number]>
  : D extends object
    ? // A form that is described elsewhere may have any keys.
      [KeyOf<F>] extends [never]
      ? never
      : [keyof D] extends [never]
        ? 'keys that nobody knows'
        : { [K in keyof D]-?: K extends KeyOf<F> ? Surplus<D[K], ValueOf<F, K>> : K }[keyof D]
    : never;
type KeyOf<F> = F extends object ? (string extends keyof F ? PropertyKey : keyof F) : never;
type ValueOf<F, K> = F extends object
  ? K extends keyof F
    ? F[K]
    : string extends keyof F
      ? F[keyof F]
      : never
  : never;

/** The JSON text of a `D`, in parts. */
export interface DocumentParts<D> extends AsyncIterable<string> {
  readonly [OF]: D;
}
declare const OF: unique symbol;

/** A `D` that has no keys other than those of an `F`. */
export type Exact<D, F> = D & ([Surplus<D, F>] extends [never] ? unknown : { readonly 'may not have': Surplus<D, F> });
