#include "model/bank_references.hpp"

#include "hipotool/names.hpp"

#include <algorithm>
#include <array>

namespace hipotool::inline v0::model {
namespace {

struct Reference {
  std::string_view bank;
  std::string_view column;
  std::string_view target;  // beginning with "::": of the same family
};

// As the bank definitions of coatjava describe them. The first that matches counts.
constexpr std::array<Reference, 29> kReferences{{
    {"REC*::*", "pindex", "::Particle"},
    {"*", "pindex", "REC::Particle"},
    {"*", "mcindex", "MC::Particle"},
    {"*", "hbindex", "RECHB::Track"},
    {"REC*::CovMat", "index", "::Track"},
    {"REC*::VertDoca", "index?", "::Track"},
    {"RICH::Hadron", "hindex", "RICH::Cluster"},
    {"RICH::Particle", "hindex", "RICH::Cluster"},
    {"RICH::Photon", "hindex", "RICH::Hit"},
    {"RICH::Ring", "hindex", "RICH::Hit"},
    {"BAND::hits", "index?pmt", "BAND::rawhits"},
    {"BAND::laser", "index?pmt", "BAND::rawhits"},
    {"BAND::rawhits", "indexTdc", "BAND::tdc"},
    {"BAND::rawhits", "indexAdc", "BAND::adc"},
    {"CND::hits", "index?adc", "CND::adc"},
    {"CND::hits", "index?tdc", "CND::tdc"},
    {"?TOF::*", "adc_idx?", "::adc"},
    {"?TOF::*", "tdc_idx?", "::tdc"},
    {"nn::dchits", "index", "DC::tdc"},
    {"FMT::Hits", "adcIndex", "FMT::adc"},
    {"FMT::Hits", "clusterIndex", "FMT::Clusters"},
    {"FMT::*", "trackIndex", "FMT::Tracks"},
    {"FMT::Clusters", "seedIndex", "FMT::Hits"},
    {"FMT::Crosses", "cluster?Index", "FMT::Clusters"},
    {"FT*::hits", "hitID", "::adc"},
    {"FT*::hits", "clusterID", "::clusters"},
    {"FT::particles", "calID", "FTCAL::clusters"},
    {"FT::particles", "hodoID", "FTHODO::clusters"},
    {"FT::particles", "trk?ID", "FTTRK::crosses"},
}};

}  // namespace

std::optional<std::string> referenced_bank(std::string_view bank, std::string_view column) {
  const auto* found =
      std::find_if(kReferences.begin(), kReferences.end(), [&](const Reference& reference) {
        return matches_glob(reference.bank, bank) && matches_glob(reference.column, column);
      });
  if (found == kReferences.end()) {
    return std::nullopt;
  }
  const std::string_view family =
      found->target.starts_with("::") ? bank.substr(0, bank.find("::")) : std::string_view{};
  return std::string(family) + std::string(found->target);
}

}  // namespace hipotool::inline v0::model
