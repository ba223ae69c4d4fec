// Which banks the dictionary of each profile has.

#include "generator.hpp"
#include "schema_texts.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace hipotool::app::sample {
namespace {

constexpr std::array kRunTexts{kRunConfig, kRunRf,          kRunTrigger, kRunScaler, kRunFilter,
                               kHelOnline, kHelFlip,        kHelScaler,  kRawScaler, kRawEpics,
                               kRawVtp,    kRasterPosition, kCoatConfig};

constexpr std::array kDetectorTexts{
    kEcalHits,     kEcalPeaks,   kEcalClusters, kEcalCalib,     kEcalMoments,    kHtccRec,
    kLtccClusters, kFtofRawhits, kFtofHits,     kFtofClusters,  kCtofHits,       kCtofClusters,
    kCndHits,      kCndClusters, kBandHits,     kBstRecCrosses, kBmtRecCrosses,  kCvtRecSeeds,
    kCvtRecTracks, kDcCrosses,   kDcTracks,     kFtcalClusters, kFthodoClusters, kFtParticles,
    kRichHadron,   kRichRing,    kRichParticle};

constexpr std::array kEventBuilderTexts{
    kRecEvent,         kRecParticle,     kRecCalorimeter, kRecCaloExtras, kRecCherenkov,
    kRecForwardTagger, kRecScintillator, kRecScintExtras, kRecTrack,      kRecUTrack,
    kRecCovMat,        kRecVertDoca,     kRecTraj,        kRecFtEvent,    kRecFtParticle};

// In every dictionary, though only simulated events have them.
constexpr std::array kSimulationTexts{kMcEvent, kMcParticle, kMcLund, kMcGenMatch, kMcRecMatch};

constexpr std::array kDigitisedTexts{kBmtAdc,  kBstAdc,  kCndAdc,   kCndTdc,   kCtofAdc,   kCtofTdc,
                                     kDcTdc,   kEcalAdc, kEcalTdc,  kFtcalAdc, kFthodoAdc, kFtofAdc,
                                     kFtofTdc, kHtccAdc, kLtccAdc,  kRfTdc,    kRichTdc,   kHelAdc,
                                     kBandAdc, kBandTdc, kRasterAdc};

constexpr std::array kTinyTexts{kRunConfig, kRunScaler, kRecEvent, kRecParticle};

void append(std::vector<Schema>& schemas, std::span<const std::string_view> texts) {
  for (const std::string_view text : texts) {
    schemas.push_back(Schema::parse_text(text));
  }
}

std::vector<Schema> make_schemas(Profile profile) {
  std::vector<Schema> schemas;
  if (profile == Profile::tiny) {
    append(schemas, kTinyTexts);
  } else {
    append(schemas, kRunTexts);
    append(schemas, kSimulationTexts);
  }
  if (profile == Profile::dst) {
    append(schemas, kDetectorTexts);
  }
  if (profile == Profile::dst || profile == Profile::skim) {
    append(schemas, kEventBuilderTexts);
  }
  if (profile == Profile::raw) {
    append(schemas, kDigitisedTexts);
  }
  // The order in which the experiment's writers leave a dictionary.
  std::ranges::sort(schemas, {}, &Schema::name);
  return schemas;
}

}  // namespace

const std::vector<Schema>& sample_schemas(Profile profile) {
  static const std::array all{make_schemas(Profile::dst), make_schemas(Profile::raw),
                              make_schemas(Profile::skim), make_schemas(Profile::tiny)};
  return all[static_cast<std::size_t>(profile)];
}

std::vector<std::pair<std::string, std::string>> sample_configuration(Profile profile) {
  return {{"beam_energy", "10.6"},
          {"profile", std::string(to_string(profile))},
          {"synthetic", "true"},
          {"target", "liquid hydrogen, 5 cm"},
          {"variation", "rga_fall2018"}};
}

}  // namespace hipotool::app::sample
